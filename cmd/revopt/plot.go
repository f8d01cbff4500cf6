package main

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/study"
)

func (p *program) plotCommand() *cli.Command {
	return &cli.Command{
		Name:      "plot",
		Usage:     "draw measures of a sweep, or of a saved result, with their intervals",
		ArgsUsage: "FILE|DIR [flags]",
		Description: `Draws measures from the directory of a sweep, a file of --save or a table of --csv,
and prints the numbers drawn. A numeric --x gives a line for each policy; others,
such as policy or class, give bars. Figures show all jobs together, unless --x or
--where names a class.

Examples:
  revopt plot out/study --x load --y mean_wait -o waits.svg
  revopt plot out/study --x load --y utilization --where policy=easy -o easy.pdf
  revopt plot both.json --y revenue_per_second,mean_wait -o both.png
  revopt plot both.json --x class --y acceptance`,
		Flags: []cli.Flag{
			stringFlag("x", "`COLUMN` column of the horizontal axis: a parameter, policy or class "+
				"(default the first that varies)"),
			stringFlag("y", "`LIST` measures, separated by commas; one figure for each (default the revenue)"),
			listFlag("where", "`COLUMN=VALUE` draw only these rows, such as class=HvHu; repeatable"),
			outFlag("`DIR|FILE` write figures: to a directory, or one .png, .svg, .pdf or .csv"),
			quietFlag("warnings"),
		},
		Action: p.plot,
	}
}

func (p *program) plot(c *cli.Context) error {
	if err := exactly(c, "FILE or DIR"); err != nil {
		return err
	}
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	o := report.TidyOptions{X: c.String("x"), Where: map[string]string{}}
	for _, pair := range c.StringSlice("where") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return usagef("--where: expected COLUMN=VALUE such as class=HvHu, got %q", pair)
		}
		o.Where[name] = value
	}
	var measures []string
	for name := range strings.SplitSeq(c.String("y"), ",") {
		measures = append(measures, strings.TrimSpace(name))
	}
	path := c.Args().First()
	table, err := p.tidy(c, path)
	if err != nil {
		return err
	}
	drawn, err := table.Plot(o, measures)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	drawn.Table(p.stdout)
	sheet, each := drawn.Pictures()
	prov := p.provenance("", nil, append(table.Marks, plots.Pair{Key: "source", Value: path})...)
	return where.save(prov, sheet, each...)
}

// tidy reads the estimates of a file or of the directory of a sweep.
func (p *program) tidy(c *cli.Context, path string) (*report.Tidy, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, tableFile)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("%s: expected the results of a sweep that is finished, "+
				"and it has no %s (see revopt sweep status)", path, tableFile)
		}
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, usagef("%s: %s", path, text.Cause(err))
	}
	defer f.Close()
	in := bufio.NewReader(f)
	if start, _ := in.Peek(1); !bytes.Equal(start, []byte("{")) {
		table, err := report.ReadTidy(in)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		return table, nil
	}
	r, err := loaded(file, func(io.Reader) (*study.Result, error) { return report.Load(in) })
	if err != nil {
		return nil, err
	}
	p.noteBuild(c, path, r.Version, r.Build)
	return report.TidyResult(r)
}

package cli

import (
	"bufio"
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
	"revopt/plots/answer"
	"revopt/plots/report/tidy"
	"revopt/plots/wording"
)

func plotFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("x", "`COLUMN` column of the horizontal axis: a parameter, policy or class "+
			"(default the first that varies)"),
		stringFlag("y", "`LIST` measures, separated by commas; one figure for each (default the revenue)"),
		listFlag("where", "`COLUMN=VALUE` draw only these rows, such as class=HvHu; repeatable"),
		quietFlag("warnings"),
		outFlag("`DIR|FILE` write figures: to a directory, or one .png, .svg, .pdf or .csv"),
	}, styleFlags()...)
}

func (p *program) plot(c *cli.Context) error {
	if err := exactly(c, "FILE or DIR"); err != nil {
		return err
	}
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	where.style, err = parseStyle(c)
	if err != nil {
		return err
	}
	if where.path == "" && where.style != (plots.Style{}) {
		return usagef("--log, --width, --no-title: expected --out with them, the figures to write")
	}
	o := tidy.Options{X: c.String("x"), Where: map[string]string{}}
	for _, pair := range c.StringSlice("where") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return usagef("--where: expected COLUMN=VALUE such as class=HvHu, got %q", pair)
		}
		o.Where[name] = value
	}
	measures := text.Each(strings.Split(c.String("y"), ","), strings.TrimSpace)
	path := c.Args().First()
	drawn, err := p.plotted(c, path, o, measures)
	if err != nil {
		return err
	}
	return p.deliver(c, nil, drawn.Table, nil, func() error {
		sheet, each := drawn.Pictures()
		source := plots.Pair{Key: "source", Value: path}
		prov := p.provenance("", nil, append(drawn.Marks, source, wording.TraceSum(drawn.Trace))...)
		return where.save(prov, sheet, each...)
	})
}

// plotted draws the estimates of a file or of the directory of a sweep.
func (p *program) plotted(c *cli.Context, path string, o tidy.Options, measures []string) (*tidy.Plot, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, answerFile)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("%s: expected the results of a sweep that is finished, "+
				"and it has no %s (see revopt sweep status)", path, answerFile)
		}
	}
	result, err := loaded(c.Context, file, loadPlotted)
	if err != nil {
		return nil, err
	}
	var table *tidy.Table
	switch r := result.(type) {
	case *tidy.Table:
		table = r
	case *answer.Answer:
		p.noteBuild(c, path, r.Version, r.Commit)
		table, err = tidy.OfAnswer(*r)
	default:
		why := "expected the result of simulate, validate or whatif, got that of solve; see revopt show"
		err = &tidy.Error{Why: why}
	}
	var drawn *tidy.Plot
	if err == nil {
		drawn, err = table.Plot(o, measures)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return drawn, nil
}

// loadPlotted reads a saved answer, a saved result or a table of estimates.
func loadPlotted(r io.Reader) (any, error) {
	in := bufio.NewReader(r)
	if start, _ := in.Peek(64); isAnswer(start) {
		a, err := answer.Read(in)
		return &a, err
	}
	return tidy.Read(in)
}

package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/tidy"
	"revopt/simulate/ask"

	"github.com/urfave/cli/v2"
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
	sheet, each := drawn.Pictures()
	prov := p.provenance("", nil, plots.Pair{Key: "source", Value: path}, text.TraceSum(drawn.Trace))
	saved := where.save(prov, sheet, each...)
	p.print(drawn.Table)
	return errors.Join(saved, p.flush())
}

// plotted draws the estimates of a file or of the directory of a sweep.
func (p *program) plotted(c *cli.Context, path string, o tidy.Options, measures []string) (*tidy.Plot, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, ask.SweepAnswer)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return nil, usagef("%s: expected the results of a sweep that is finished, "+
				"and it has no %s (see revopt sweep status)", path, ask.SweepAnswer)
		}
	}
	a, err := loaded(c.Context, file, loadSaved)
	if err != nil {
		return nil, err
	}
	p.noteBuild(c, path, a.Version, a.Commit)
	table, err := tidy.OfAnswer(a)
	var drawn *tidy.Plot
	if err == nil {
		drawn, err = table.Plot(o, measures)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return drawn, nil
}

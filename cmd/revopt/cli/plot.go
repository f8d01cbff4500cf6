package cli

import (
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
	"revopt/simulate/ask"
)

func plotFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("x", "`COLUMN` column of the horizontal axis (default the first that is varied, "+
			"else the names of rows)"),
		stringFlag("y", "`LIST` measures, separated by commas; one figure for each (default the first that answers draw)"),
		listFlag("where", "`COLUMN=VALUE` draw only these rows, such as policy=easy; repeatable"),
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
	d := answer.Drawing{X: c.String("x"), Where: map[string]string{}}
	for _, pair := range c.StringSlice("where") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			return usagef("--where: expected COLUMN=VALUE such as policy=easy, got %q", pair)
		}
		d.Where[name] = value
	}
	path := c.Args().First()
	a, err := p.plotted(c, path)
	if err != nil {
		return err
	}
	sheet := plots.Sheet{ID: "plot"}
	var each []plots.Picture
	var tables []answer.Table
	for measure := range strings.SplitSeq(c.String("y"), ",") {
		d.Y = strings.TrimSpace(measure)
		fig, numbers, err := a.Draw(d)
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		sheet.Panels, each = append(sheet.Panels, fig), append(each, fig)
		tables = append(tables, numbers)
	}
	whole := plots.Picture(sheet)
	if len(each) == 1 {
		whole = each[0]
	}
	prov := p.provenance("", nil, plots.Pair{Key: "source", Value: path}, text.TraceSum(a.TraceSum()))
	saved := where.save(prov, whole, each...)
	p.print(func(w io.Writer) {
		for i, t := range tables {
			if i > 0 {
				fmt.Fprintln(w)
			}
			rows := t.Words()
			list := text.NewTable(rows[0]...)
			for _, row := range rows[1:] {
				list.Row(row...)
			}
			list.Print(w)
		}
	})
	return errors.Join(saved, p.flush())
}

// plotted reads an answer, or that of the directory of a sweep.
func (p *program) plotted(c *cli.Context, path string) (answer.Answer, error) {
	file := path
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		file = filepath.Join(path, ask.SweepAnswer)
		if _, err := os.Stat(file); errors.Is(err, fs.ErrNotExist) {
			return answer.Answer{}, usagef("%s: expected the results of a sweep that is finished, "+
				"and it has no %s (see revopt sweep status)", path, ask.SweepAnswer)
		}
	}
	a, err := loaded(c.Context, file, loadSaved)
	if err == nil {
		p.noteBuild(c, path, a.Version, a.Commit)
	}
	return a, err
}

package main

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/plots/report"
	"revopt/simulate/workload"
)

// likeTraces is the number of generated traces for the figures of likeness.
const likeTraces = 20

func (p *program) traceLike(c *cli.Context) error {
	file, out, seed := c.String("like"), c.String("out"), c.Uint64("seed")
	switch weeks := c.Float64("weeks"); {
	case c.NArg() > 0 || c.IsSet("set") || c.IsSet("load") || c.IsSet("growth"):
		return usagef("trace generate: expected either --like FILE or SCENARIO")
	case c.IsSet("weeks") && c.IsSet("jobs"):
		return usagef("trace generate: expected --jobs or --weeks, got both")
	case c.IsSet("weeks") && (!(weeks > 0) || weeks > 10000):
		return usagef("--weeks: expected a number above 0, of at most 10000, got %g", weeks)
	case c.Bool("json") && out == "":
		return usagef("trace generate: expected -o FILE with --json")
	}
	m, err := workload.FitLike(c.Context, workload.Selection{File: file})
	if err != nil {
		return err
	}
	span := m.Span
	if c.IsSet("weeks") {
		span = 7 * 86400 * c.Float64("weeks")
	}
	var jobs workload.Records = m.Generate(span, seed, 0)
	if c.IsSet("jobs") {
		if jobs, span, err = m.Take(c.Context, int64(c.Int("jobs")), seed, 0); err != nil {
			return err
		}
	}
	r := report.NewTraceLike(m, file, out, build().Version, seed, span)
	note := fmt.Sprintf("; Note: revopt %s: %s", r.Version, text.OneLine(commandLine(p.args)))
	if err := p.writeTrace(c, file, append(m.NewHeader().Lines, note), jobs); err != nil {
		return err
	}
	if !c.Bool("quiet") || c.Bool("json") {
		figures, err := m.Figures(c.Context, span, likeTraces, seed)
		if err != nil {
			return err
		}
		r.Add(likeTraces, figures)
	}
	if c.Bool("json") {
		return report.JSON(p.stdout, r)
	}
	if out != "" {
		fmt.Fprintln(p.stdout, text.OneLine(out))
	}
	if !c.Bool("quiet") {
		r.Table(p.stderr)
	}
	return nil
}

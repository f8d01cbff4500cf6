package cli

import (
	"errors"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/simulate/ask"
)

// objectiveFlag is the flag of what policies are compared by.
func objectiveFlag(what string) cli.Flag {
	return stringFlag("objective", "`O` value (default), wait or slowdown: "+what+"; the last two need no prices")
}

func validateFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("html", "`FILE` write one self-contained page: answer, figures, tables, scenario"),
		objectiveFlag("what the bound is on"),
		stringFlag("vary", "`PATH=VALUES` field and values of the horizontal axis of figures, such as load=0.5:3:0.5"),
		listFlag("policy", "`LIST` policies by commas, as in simulate; repeatable (default the headline set)"),
		listFlag("admission",
			"`A` all (default), analytic, simulated, threshold, state, prices or probabilities"),
		under(methodGroup, stringFlag("horizon",
			"`T` length of a replication as a time, such as 30d; job classes only")),
		under(methodGroup, stringFlag("gap", "`G` search for a bound until its gap is at most this share "+
			"(default 0.3%)")),
		explainFlag(), tableFlag(),
		outFlag("`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"),
	}, runFlags("`N` jobs per replication")...)
}

func (p *program) validate(c *cli.Context) error {
	if _, err := parseTarget(c); err != nil {
		return err
	}
	q, err := p.openRun(c)
	if err != nil {
		return err
	}
	r := q.Request
	if c.IsSet("gap") {
		gap, ok := ask.ParseFraction(c.String("gap"))
		if !ok || gap >= 1 {
			return usagef("--gap: expected a share above 0 and below 1 such as 0.1%%, got %q", c.String("gap"))
		}
		r.Gap = gap
	}
	store, err := p.store(c)
	if err != nil {
		return err
	}
	defer store.Close()
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	bench, err := q.Lab(c.Context, store, func(done, total int) { show.Show("validating", done, total) })
	if err != nil {
		return err
	}
	compared, err := ask.Validate(c.Context, bench, r)
	show.Clear()
	if compared == nil {
		return p.stopped(c, err)
	}
	files := []func() error{p.saved(c, compared), flagFile(c, "cells", compared.WriteCells), p.figures(c, compared.Answer)}
	return errors.Join(p.tell(c, compared.Answer, files...), p.halted(c, compared.Answer, err), store.Close())
}

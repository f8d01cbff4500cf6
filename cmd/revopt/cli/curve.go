package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v2"
	"revopt/internal/text"
	"revopt/plots/report/formula"
	"revopt/simulate/plan"
	"revopt/simulate/study/request"
	"revopt/simulate/study/solve"
)

func curveFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		stringFlag("vary", "`PATH=VALUES` the field to vary and its values, such as load=0.05:1.4:0.05 (required)"),
	}, figureFlags("`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"),
		scenarioFlags(), []cli.Flag{
			boolFlag("check", "check the admission at every value by simulation"), residualFlag(),
			pricesFlag(), gapFlag(), seedFlag("the jobs of checks, and those to which classes are fitted"),
			jsonFlag(), csvFlag("all numbers of the curve"), quietFlag("warnings"),
		}, journalFlags("points"))
}

func (p *program) curve(c *cli.Context) error {
	if c.String("vary") == "" {
		return usagef("curve: expected --vary PATH=VALUES, such as --vary load=0.05:1.4:0.05")
	}
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	if err := exactly(c, "SCENARIO"); err != nil {
		return err
	}
	q, err := request.Read(c.Context, asked(c), p.answering(c))
	if err != nil {
		return err
	}
	vary, err := q.Variation()
	if err != nil {
		return err
	}
	var runner *plan.Runner
	found, err := ran(p, c, &runner, func(ctx context.Context) (*solve.Curve, error) { return q.Curve(ctx, runner) })
	if found == nil {
		return err
	}
	stopped := p.stopped(c, found.Warnings, err)
	view := formula.Curve{Curve: found, Command: commandLine(p.args)}
	err = p.present(c, view, where)
	if err := errors.Join(err, stopped); err != nil {
		return err
	}
	for _, point := range found.Points {
		for _, part := range append(point.Pools, solve.PoolSolution{Solution: point.Solution}) {
			at := " at " + vary.Path + "=" + text.Plain(float64(point.Value)) + inPool(part.Name)
			if short := unclosed(solve.Options{}, found.Residual, &part.Solution, at); short != nil {
				return short
			}
		}
	}
	return nil
}

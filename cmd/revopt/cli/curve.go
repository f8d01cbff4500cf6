package cli

import (
	"context"
	"errors"
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/analytic"
	"revopt/simulate/study"
	"revopt/simulate/study/solve"
	"revopt/simulate/warn"
)

func curveFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		stringFlag("vary", "`PATH=VALUES` the field to vary and its values, such as load=0.05:1.4:0.05 (required)"),
	}, figureFlags("`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"),
		scenarioFlags(), []cli.Flag{
			pricesFlag(), gapFlag(), seedFlag("the jobs to which classes are fitted"),
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
	in, err := p.read(c, "SCENARIO", p.document)
	if err != nil {
		return err
	}
	vary, err := study.ParseVariation(c.String("vary"), in.doc)
	if err != nil {
		return err
	}
	o := solve.Options{Gap: c.Float64("gap"), Prices: c.Bool("prices"), Version: build().Version}
	o.Name, err = solve.CurveName(in.doc, vary.Axis, o, c.Uint64("seed"))
	if err != nil {
		return err
	}
	at := func(x float64) (*analytic.Analysis, error) { return in.analyzeAt(c, vary, x) }
	found, err := ran(p, c, &o.Runner, func(ctx context.Context) (*solve.Curve, error) {
		return solve.NewCurve(ctx, vary.Path, vary.Values, at, o)
	})
	if found == nil {
		return err
	}
	stopped := p.stopped(c, found.Warnings, err)
	found.Overrides, found.Warnings = in.overrides, append([]warn.Warning(nil), found.Warnings...)
	found.TraceFile = in.TraceFile()
	view := report.Curve{Curve: found, Command: commandLine(p.args)}
	err = p.present(c, view, where)
	if err := errors.Join(err, stopped); err != nil {
		return err
	}
	for _, point := range found.Points {
		for _, part := range append(point.Pools, solve.PoolSolution{Solution: point.Solution}) {
			at := " at " + vary.Path + "=" + text.Plain(float64(point.Value)) + inPool(part.Name)
			if short := unclosed(o, found.Residual, &part.Solution, at); short != nil {
				return short
			}
		}
	}
	return nil
}

// analyzeAt returns the model of the scenario at one value. Errors name the value.
func (in *input) analyzeAt(c *cli.Context, vary *study.Variation, x float64) (*analytic.Analysis, error) {
	doc, err := vary.At(in.doc, x)
	if err != nil {
		return nil, err
	}
	subject, err := in.openAt(c, doc)
	var bad *scenario.Error
	if errors.As(err, &bad) && bad.File == doc.File() {
		bad.File = "--vary " + vary.Text + ": at " + text.Plain(x) + ": " + bad.File
	}
	if err != nil {
		return nil, err
	}
	in.Subject = subject
	return analytic.Analyze(c.Context, subject, c.Uint64("seed"), 0)
}

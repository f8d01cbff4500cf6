package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/plots/report"
	"revopt/simulate/plan"
	"revopt/simulate/study/request"
	"revopt/simulate/study/validate"
)

// objectiveFlag is the flag of what policies are compared by.
func objectiveFlag(what string) cli.Flag {
	return stringFlag("objective", "`O` value (default), wait or slowdown: "+what+"; the last two need no prices")
}

func validateFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("html", "`FILE` write one self-contained page: table, figures, bounds, scenario"),
		objectiveFlag("what the bound is on"),
		stringFlag("vary", "`PATH=VALUES` field and values of the horizontal axis of figures, such as load=0.5:3:0.5"),
		listFlag("policy", "`LIST` policies by commas, as in simulate; repeatable (default all that apply)"),
		listFlag("admission", "`A` all (default), analytic, simulated, promise, threshold, state, prices or "+
			"probabilities"),
		under(methodGroup, stringFlag("horizon",
			"`T` length of a replication as a time, such as 30d; job classes only")),
		boolFlag("explain", "add who is affected by the policies that the headline names, against the policy now"),
		outFlag("`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"),
	}, runFlags("`N` jobs per replication")...)
}

func (p *program) validate(c *cli.Context) error {
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	q, v, err := p.openValidation(c, where)
	if err != nil {
		return err
	}
	result, err := ran(p, c, &v.Runner, v.Run)
	if result == nil {
		return err
	}
	q.Finish(result)
	result.Command, result.Build = p.origin(c)
	view := report.New(result, result.Command)
	view.Explain = c.Bool("explain")
	return p.finish(c, view, where, result.Samples, err, nil)
}

// openValidation reads the command line and finds all faults before anything runs.
func (p *program) openValidation(
	c *cli.Context, where target,
) (*request.Question, *validate.Validation, error) {
	drawn := where.path != "" || c.IsSet("html")
	switch objective := c.String("objective"); objective {
	case plan.ObjectiveWait, plan.ObjectiveSlowdown:
		if drawn {
			return nil, nil, usagef("--objective %s: expected no --html and no --out, pages and figures show value",
				objective)
		}
	}
	q, err := p.openRun(c)
	if err != nil {
		return nil, nil, err
	}
	v, err := q.Validation(drawn)
	if err != nil {
		return nil, nil, err
	}
	values := slices.Compact(slices.Sorted(slices.Values(v.Vary.Values)))
	switch {
	case where.path == "":
	case q.Vary == "" && q.Subject.Axis == "":
		return nil, nil, usagef("--out: expected --vary with it, such as --vary batch.jobs=50:200:50: this %s "+
			"has no load to draw figures along", q.Subject.Kind)
	case q.Vary != "" && len(values) < 2:
		return nil, nil, usagef("--vary %s: expected at least two values to draw figures along", q.Vary)
	}
	return q, v, v.Open(c.Context)
}

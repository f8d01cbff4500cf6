package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/plots/report"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/study/validate"
	"revopt/simulate/workload"
)

func validateFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("html", "`FILE` write one self-contained page: table, figures, bounds, scenario"),
		stringFlag("objective",
			"`O` value (default), wait or slowdown: what the bound is on; the last two need no prices"),
		stringFlag("vary", "`PATH=VALUES` field and values of the horizontal axis of figures, such as load=0.5:3:0.5"),
		listFlag("policy", "`LIST` policies by commas, as in simulate; repeatable (default all that apply)"),
		listFlag("admission", "`A` all (default), analytic, simulated, promise, threshold, state, prices or probabilities"),
		stringFlag("horizon", "`T` length of a replication as a time, such as 30d; job classes only"),
		&cli.StringFlag{Name: "warmup",
			Usage: "`W` refused: against a bound every job counts, so there is no warm-up", Hidden: true},
	}, slices.Concat(figureFlags("`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"),
		runFlags("`N` jobs per replication"))...)
}

func (p *program) validate(c *cli.Context) error {
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	v, err := p.openValidation(c, where)
	if err != nil {
		return err
	}
	result, err := ran(p, c, &v.Runner, v.Run)
	if result == nil {
		return err
	}
	result.Warnings = append(remarks(c, result.Once), result.Warnings...)
	result.Command, result.Build = p.origin(c)
	return p.finish(c, report.New(result, result.Command), where, result.Samples, err, report.Shortfalls(result))
}

// openValidation reads the command line and finds all faults before anything runs.
func (p *program) openValidation(c *cli.Context, where target) (*validate.Validation, error) {
	if c.IsSet("warmup") {
		return nil, usagef("--warmup: expected none, a validation has no warm-up: against a bound every job counts")
	}
	objective := c.String("objective")
	switch objective {
	case plan.ObjectiveWait, plan.ObjectiveSlowdown:
		if c.IsSet("html") || where.path != "" {
			return nil, usagef("--objective %s: expected no --html and no --out, pages and figures show value", objective)
		}
	case "", plan.ObjectiveValue:
		objective = ""
	default:
		return nil, usagef("--objective %s: expected value, wait or slowdown", objective)
	}
	in, o, err := p.openRun(c)
	if err != nil {
		return nil, err
	}
	if o.stop != nil && objective != "" && !c.IsSet("metric") {
		o.stop.Measure = metric.MeanWait()
		if objective == plan.ObjectiveSlowdown {
			o.stop.Measure, _ = metric.Lookup("mean_bounded_slowdown")
		}
	}
	v := &validate.Validation{
		Subject: in.Subject, Objective: objective, Policies: o.policies, Admissions: o.admissions,
		Figures: where.path != "" || c.IsSet("html"), Stop: o.stop, Resample: o.resample, Plain: c.Bool("plain"),
		Seed: c.Uint64("seed"), Level: o.level, Replications: o.count, Overrides: in.overrides,
	}
	// A horizon of few jobs stays one; of more it says how many.
	if size := in.Workload.Size(); in.Workload.Stream() > 0 && (c.IsSet("jobs") || c.IsSet("horizon") &&
		size > workload.DrainedJobs) {
		v.Jobs = int(min(size, 1e18))
	}
	if err := setAxis(c, in, where, v); err != nil {
		return nil, err
	}
	return v, v.Open(c.Context)
}

// setAxis reads the numbers that figures run along.
func setAxis(c *cli.Context, in *input, where target, v *validate.Validation) error {
	if !c.IsSet("vary") {
		if where.path != "" && in.Axis == "" {
			return usagef("--out: expected --vary with it, such as --vary batch.jobs=50:200:50: this %s has no load "+
				"to draw figures along",
				in.Kind)
		}
		return nil
	}
	axis, err := study.ParseVariation(c.String("vary"), in.doc)
	if err != nil {
		return err
	}
	v.Vary = axis.Axis
	if values := slices.Compact(slices.Sorted(slices.Values(axis.Values))); where.path != "" &&
		len(values) < 2 {
		return usagef("--vary %s: expected at least two values to draw figures along", axis.Text)
	}
	return nil
}

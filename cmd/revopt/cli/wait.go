package cli

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/analytic"
	"revopt/simulate/study"
	"revopt/simulate/study/solve"
	"revopt/simulate/workload"
)

func waitFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("class", "`NAME` print this class only"),
		stringFlag("at", "`TIMES` times for which to print the share that waits longer, such as 60,10m,1h "+
			"(default 0, graces and promised times)"),
		presetFlag("quantiles", "0.5,0.9,0.99", "`LIST` shares of jobs, such as 0.5,0.9 or 50%,90%"),
		presetFlag("admission", scenario.AdmitAll, "`A` all, analytic (what solve finds) or probabilities as in 1,0.5"),
		choiceFlag("queue", solve.QueuePooled, "`Q` pooled (exact) or multiserver (approximate)",
			solve.QueuePooled, solve.QueueMultiserver),
		boolFlag("simulate", "simulate the same queue and print the results beside the formulas"),
		seedFlag("the random numbers"), workersFlag("replications"),
		jsonFlag(), csvFlag("all numbers"), saveFlag(), quietFlag("warnings"),
	}, append(scenarioFlags(),
		figureFlags("`DIR|FILE` write a figure: in all formats to a directory, or one .png, .svg, .pdf or .csv")...)...)
}

func (p *program) wait(c *cli.Context) error {
	o, err := waitOptions(c)
	if err != nil {
		return err
	}
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	sim := in.Scenario.Simulation
	o.Curves, o.Replications = where.path != "" || c.IsSet("save"), sim.Replications
	o.Length = workload.Length{Jobs: int64(sim.Jobs), Horizon: sim.Horizon,
		WarmupFraction: sim.Warmup.Fraction, WarmupSeconds: sim.Warmup.Seconds}
	analysis, err := analytic.Analyze(c.Context, in.Subject, o.Seed, 0)
	if err != nil {
		return err
	}
	if err := admitWaits(c, analysis, &o); err != nil {
		return err
	}
	// Some waits take long and do not check the context.
	found, err := await(c.Context,
		func() (*solve.WaitAnswer, error) { return solve.Waits(c.Context, analysis, o) })
	if err != nil {
		return err
	}
	found.Overrides, found.TraceFile = in.overrides, in.TraceFile()
	found.Command, found.Build = p.origin(c)
	return p.present(c, report.Waits{WaitAnswer: found}, where, saveFile(c, found))
}

func waitOptions(c *cli.Context) (solve.WaitOptions, error) {
	o := solve.WaitOptions{
		Class: c.String("class"), Queue: c.String("queue"), Simulate: c.Bool("simulate"),
		Seed: c.Uint64("seed"), Workers: c.Int("workers"), Version: build().Version,
	}
	if c.IsSet("at") {
		for part := range strings.SplitSeq(c.String("at"), ",") {
			t, err := parsed("at", strings.TrimSpace(part), scenario.ParseTime)
			if err != nil {
				return o, err
			}
			o.At = append(o.At, t)
		}
	}
	for part := range strings.SplitSeq(c.String("quantiles"), ",") {
		q, ok := study.ParseProbability(part)
		if !ok {
			return o, usagef("--quantiles: expected shares from 0 to 1 such as 0.5,0.9, got %q", part)
		}
		o.Quantiles = append(o.Quantiles, q)
	}
	return o, nil
}

// admitWaits reads --class and --admission, which name classes of the analysis.
func admitWaits(c *cli.Context, a *analytic.Analysis, o *solve.WaitOptions) error {
	names := text.Each(a.System.Classes, func(c model.Class) string { return c.Name })
	if o.Class != "" && !slices.Contains(names, o.Class) {
		return usagef("--class: unknown class %q%s", o.Class, study.ExpectedOne(o.Class, slices.Compact(names)))
	}
	chosen, err := study.ParseAdmission(c.String("admission"), names)
	if err != nil {
		return err
	}
	named := slices.Contains(study.AdmissionNames(), chosen[0].Name)
	if len(chosen) != 1 || named && chosen[0].Name != scenario.AdmitAll && chosen[0].Name != scenario.AdmitAnalytic {
		return usagef("--admission: expected all, analytic or probabilities, got %q", c.String("admission"))
	}
	for _, part := range a.Parts() {
		if n := part.System.Parallel; o.Simulate && o.Queue == solve.QueueMultiserver &&
			math.Abs(n-math.Round(n)) > 1e-9 {
			return usagef("--simulate: expected a whole number of servers%s, got %s",
				inPool(part.Pool), strconv.FormatFloat(n, 'g', -1, 64))
		}
	}
	o.Admission = chosen[0]
	if o.Admission.Name == scenario.AdmitAnalytic {
		best, err := a.Best(c.Context, a.System.Residual)
		if err != nil {
			return err
		}
		o.Admission.Admit = best.Admit()
	}
	return nil
}

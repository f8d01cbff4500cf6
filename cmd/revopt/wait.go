package main

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots/report"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

func (p *program) waitCommand() *cli.Command {
	return &cli.Command{
		Name:      "wait",
		Usage:     "how long jobs wait: the distribution, by class",
		ArgsUsage: "SCENARIO [flags]",
		Description: `Computes the waiting time of every class: how many wait longer than some time, by
how much, and within which time a share of them starts. It is that of a real
queue, one server as fast as all together (pooled), whatever the scenario's
residual, and exact up to the error that --json reports. --queue multiserver
approximates as many real servers instead. The classes of a trace are fitted to it.

Examples:
  revopt wait nist-four --load 0.9 --at 10m,1h
  revopt wait mine.yaml --admission analytic --quantiles 0.5,0.9,0.99 -o tails.svg
  revopt wait mine.yaml --class urgent --simulate --json`,
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "class", Usage: "`NAME` of the only class to print"},
			&cli.StringFlag{Name: "at", Usage: "`TIMES` whose tails to print, such as 60,10m,1h (default 0, graces and promised times)"},
			&cli.StringFlag{Name: "quantiles", Value: "0.5,0.9,0.99", Usage: "`LIST` shares of jobs, such as 0.5,0.9 or 50%,90%"},
			&cli.StringFlag{Name: "admission", Value: scenario.AdmitAll, Usage: "`A` all, analytic (what solve finds) or probabilities as in 1,0.5"},
			&cli.StringFlag{Name: "queue", Value: study.QueuePooled, Usage: "`Q` pooled (exact) or multiserver (approximate)"},
			&cli.BoolFlag{Name: "simulate", Usage: "simulate the same queue and print what it gives beside"},
			seedFlag("the random numbers"), workersFlag("replications"),
			outFlag("`DIR|FILE` write a figure: in all formats to a directory, or one .png, .svg, .pdf or .csv"),
		}, append(scenarioFlags(), jsonFlag(), csvFlag("all numbers"), saveFlag(), quietFlag("warnings"))...),
		Action: p.wait,
	}
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
	o.Length = workload.Length{Jobs: int64(sim.Jobs), Horizon: sim.Horizon, WarmupFraction: sim.Warmup.Fraction, WarmupSeconds: sim.Warmup.Seconds}
	analysis, err := in.Analyze(c.Context, o.Seed, 0)
	if err != nil {
		return err
	}
	if err := admitWaits(c, analysis, &o); err != nil {
		return err
	}
	// Some waits take long, and no step of theirs looks at the context.
	found, err := await(c.Context, func() (*study.WaitAnswer, error) { return study.Waits(c.Context, analysis, o) })
	if err != nil {
		return err
	}
	found.Overrides = in.overrides
	found.Command, found.Build = p.origin(c)
	return p.present(c, report.Waits{WaitAnswer: found}, where, saveFile(c, found))
}

func waitOptions(c *cli.Context) (study.WaitOptions, error) {
	o := study.WaitOptions{
		Class: c.String("class"), Queue: c.String("queue"), Simulate: c.Bool("simulate"), Seed: c.Uint64("seed"), Version: build().Version,
	}
	var err error
	if o.Workers, err = workers(c); err != nil {
		return o, err
	}
	if o.Queue != study.QueuePooled && o.Queue != study.QueueMultiserver {
		return o, usagef("--queue: expected pooled or multiserver, got %q", o.Queue)
	}
	if c.IsSet("at") {
		for part := range strings.SplitSeq(c.String("at"), ",") {
			t, err := scenario.ParseTime(strings.TrimSpace(part))
			if err != nil {
				return o, usagef("--at: %v", err)
			}
			o.At = append(o.At, t)
		}
	}
	for part := range strings.SplitSeq(c.String("quantiles"), ",") {
		q, ok := probability(part)
		if !ok {
			return o, usagef("--quantiles: expected shares from 0 to 1 such as 0.5,0.9, got %q", part)
		}
		o.Quantiles = append(o.Quantiles, q)
	}
	return o, nil
}

// admitWaits reads --class and --admission, which speak of the classes of the
// analysis.
func admitWaits(c *cli.Context, a *study.Analysis, o *study.WaitOptions) error {
	names := classNames(a.System.Classes)
	if o.Class != "" && !slices.Contains(names, o.Class) {
		return usagef("--class: unknown class %q%s", o.Class, expectedOne(o.Class, names))
	}
	chosen, err := parseAdmission(c.String("admission"), names)
	if err != nil {
		return err
	}
	if len(chosen) != 1 || slices.Contains([]string{scenario.AdmitSimulated, scenario.AdmitPromise, study.ControlThreshold, study.ControlState, scenario.AdmitPrices, scenario.AdmitPricesSimulated}, chosen[0].Name) {
		return usagef("--admission: expected all, analytic or probabilities, got %q", c.String("admission"))
	}
	if n := a.System.Parallel; o.Simulate && o.Queue == study.QueueMultiserver && math.Abs(n-math.Round(n)) > 1e-9 {
		return usagef("--simulate: expected a whole number of servers, got %s", strconv.FormatFloat(n, 'g', -1, 64))
	}
	if o.Admission = chosen[0]; o.Admission.Name == scenario.AdmitAnalytic {
		best, err := optimize.Solve(c.Context, a.System, optimize.Settings{})
		if err != nil {
			return err
		}
		o.Admission.Admit = best.Admit
	}
	return nil
}

func classNames(classes []model.Class) []string {
	names := make([]string, len(classes))
	for i, c := range classes {
		names[i] = c.Name
	}
	return names
}

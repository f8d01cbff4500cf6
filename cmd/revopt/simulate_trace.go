package main

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
	"revopt/simulate/workload"
)

// traceSimulation is a comparison of policies on a trace.
type traceSimulation struct {
	options simulateSettings
	sc      *scenario.Trace
	jobs    *workload.Trace
	most    int // replications there may be
}

// subsetOf reads --jobs of a trace: a number means the last jobs.
func subsetOf(value string) string {
	if _, err := strconv.Atoi(value); err == nil {
		return "last:" + value
	}
	return value
}

// simulateTrace runs simulate on a trace scenario.
func (p *program) simulateTrace(c *cli.Context, in *input) error {
	if c.IsSet("admission") {
		return usagef("--admission: expected none with a trace, whose policies admit jobs by themselves")
	}
	r := &traceSimulation{}
	var err error
	if r.options, err = simulateOptions(c, metric.TraceFigures()); err != nil {
		return err
	}
	if r.sc, err = in.doc.Trace(sweep.KnownPolicies()); err != nil {
		return err
	}
	if r.options.policies, err = r.policies(c); err != nil {
		return err
	}
	if r.jobs, err = sweep.LoadTrace(r.sc, r.options.seed); err != nil {
		return err
	}
	compared, err := r.run(p, c)
	if err != nil && (!errors.Is(err, context.Canceled) || compared.Replications() == 0) {
		return err
	}
	report := newTraceSimReport(r, compared, in.overrides)
	report.Interrupted = err != nil
	if err != nil {
		err = fmt.Errorf("simulate: stopped after %d of %s: %w", compared.Replications(), plural(r.most, "replication"), err)
		return errors.Join(p.printTraceSim(c, report), err)
	}
	if err := errors.Join(writeRecords(c, r.recorded()), p.writeGantt(c, r.sc.Name, r.options.seed, r.recorded())); err != nil {
		return err
	}
	return p.printTraceSim(c, report)
}

// policies returns those of the command line, else those of the scenario, else
// EASY.
func (r *traceSimulation) policies(c *cli.Context) ([]chosenPolicy, error) {
	if c.IsSet("policy") {
		return parsePolicies(c.String("policy"), sweep.LookupTracePolicy)
	}
	given := r.sc.Policies
	if len(given) == 0 {
		given = []scenario.Policy{{Name: "easy"}}
	}
	var chosen []chosenPolicy
	for _, g := range given {
		spec, err := sweep.LookupTracePolicy(g.Name)
		if err != nil {
			return nil, err
		}
		options, err := spec.Resolve(policy.Settings(g.Options))
		if err != nil {
			return nil, err
		}
		chosen = append(chosen, chosenPolicy{spec.Name, options, policyLabel(spec, options)})
	}
	return chosen, nil
}

// experiments are the policies on the trace.
func (r *traceSimulation) experiments() []*sweep.TraceExperiment {
	var list []*sweep.TraceExperiment
	for _, p := range r.options.policies {
		list = append(list, &sweep.TraceExperiment{Scenario: r.sc, Workload: r.jobs, Policy: p.name, Options: p.options, Seed: r.options.seed})
	}
	return list
}

func (r *traceSimulation) run(p *program, c *cli.Context) (sweep.Compared, error) {
	none := sweep.Compared{Outcomes: make([]sweep.Outcome, 1)}
	comparison := &sweep.TraceComparison{
		Experiments: r.experiments(), Replications: r.sc.Replications, Stop: r.options.stop, Workers: r.options.workers, Level: r.options.level,
	}
	r.most = comparison.Replications
	if stop := comparison.Stop; stop != nil {
		if r.options.capped {
			if r.most < 2 {
				return none, usagef("--replications: expected at least 2 with --precision, got %d", r.most)
			}
			stop.Precision.Max, stop.Precision.First = r.most, min(10, r.most)
		}
		r.most = stop.Precision.Most()
	}
	if err := comparison.Check(); err != nil {
		return none, usagef("%s: %s", r.sc.Name, bare(err))
	}
	show := &pace{meter: progress(p.stderr, "simulating", c.Bool("quiet"))}
	defer show.clear()
	comparison.Progress = func(finished int) { show.step(finished, r.most) }
	return comparison.Run(c.Context)
}

// recorded returns the policies for --records.
func (r *traceSimulation) recorded() []recorded {
	var list []recorded
	for i, e := range r.experiments() {
		list = append(list, recorded{r.options.policies[i].label, e.Classes(), e.Run})
	}
	return list
}

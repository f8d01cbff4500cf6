package sweep

import (
	"context"
	"fmt"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Experiment is a class workload under one policy. Two experiments of one
// scenario and seed see the same jobs, whatever their policy and admission.
type Experiment struct {
	Scenario *scenario.Scenario
	Policy   string          // one of Policies; "" is hol
	Options  policy.Settings // of the policy; the missing ones are the defaults
	Admit    []float64       // admission probability of each class; nil admits all
	Seed     uint64
}

// Sample is what one replication adds up to.
type Sample struct {
	Total   metric.Sum
	Classes []metric.Sum
	Cut     bool // arrivals were cut off before the last measured job had left
}

// policyName returns the name of the policy, with the default filled in.
func (e *Experiment) policyName() string {
	if e.Policy == "" {
		return "hol"
	}
	return e.Policy
}

// Check reports what would stop a replication before it starts.
func (e *Experiment) Check() error {
	_, err := e.site()
	return err
}

// site builds the cluster of one run.
func (e *Experiment) site() (simulate.Site, error) {
	spec, err := LookupPolicy(e.policyName())
	if err != nil {
		return simulate.Site{}, err
	}
	p, err := spec.New(e.Options)
	if err != nil {
		return simulate.Site{}, err
	}
	if e.Admit != nil {
		if len(e.Admit) != len(e.Scenario.Classes) {
			return simulate.Site{}, fmt.Errorf("%d admission probabilities for %d classes", len(e.Admit), len(e.Scenario.Classes))
		}
		if p, err = policy.WithAdmission(p, e.Admit); err != nil {
			return simulate.Site{}, err
		}
	}
	return simulate.Site{Processors: e.Scenario.Nodes, Policy: p}, nil
}

// Run simulates one replication. The observers given see it too.
func (e *Experiment) Run(ctx context.Context, replication int, observers ...simulate.Observer) (Sample, error) {
	site, err := e.site()
	if err != nil {
		return Sample{}, err
	}
	source, err := workload.NewClasses(e.Scenario.Classes, e.Seed, replication)
	if err != nil {
		return Sample{}, err
	}
	tally := metric.NewTally(len(e.Scenario.Classes))
	r, err := simulate.Run(ctx, simulate.Config{
		Source:    source,
		Sites:     []simulate.Site{site},
		Window:    e.window(),
		Observers: append([]simulate.Observer{tally}, observers...),
	})
	if err != nil {
		return Sample{}, err
	}
	s := Sample{Total: tally.Total(), Cut: r.Cut}
	for i := range e.Scenario.Classes {
		s.Classes = append(s.Classes, tally.Class(i))
	}
	return s, nil
}

// window returns the measured part of a run: the scenario's jobs or horizon
// are those of a whole run, warm-up included.
func (e *Experiment) window() simulate.Window {
	sim := e.Scenario.Simulation
	w := simulate.Window{Jobs: int64(sim.Jobs), Horizon: sim.Horizon, WarmupTime: sim.Warmup.Seconds}
	if sim.Horizon > 0 {
		w.WarmupTime += sim.Warmup.Fraction * sim.Horizon
	} else {
		w.WarmupJobs = int64(sim.Warmup.Fraction * float64(sim.Jobs))
	}
	return w
}

// Outcome is the samples of an experiment's replications, in order.
type Outcome struct {
	Samples []Sample
	Level   float64 // of confidence; 0 is metric.DefaultLevel
}

func (o Outcome) level() float64 {
	if o.Level > 0 {
		return o.Level
	}
	return metric.DefaultLevel
}

// Values returns a figure of each replication, of all jobs for class < 0.
func (o Outcome) Values(f metric.Figure, class int) []float64 {
	x := make([]float64, len(o.Samples))
	for i, s := range o.Samples {
		if class < 0 {
			x[i] = f.Of(s.Total)
		} else {
			x[i] = f.Of(s.Classes[class])
		}
	}
	return x
}

// Interval returns the interval of a figure, of all jobs for class < 0.
func (o Outcome) Interval(f metric.Figure, class int) metric.Interval {
	return metric.Estimate(o.Values(f, class), o.level())
}

// Cut counts the replications whose arrivals were cut off.
func (o Outcome) Cut() int {
	n := 0
	for _, s := range o.Samples {
		if s.Cut {
			n++
		}
	}
	return n
}

// Replicate runs the given number of replications of an experiment on the
// given number of workers (0: one per processor). After an error, or when the
// context is cancelled, it returns those before the first that did not finish.
func Replicate(ctx context.Context, e *Experiment, replications, workers int) (Outcome, error) {
	samples, err := metric.Replicate(ctx, 0, replications, workers, func(ctx context.Context, k int) (Sample, error) {
		return e.Run(ctx, k)
	})
	return Outcome{Samples: samples}, err
}

package paper

import (
	"context"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/sweep"
)

// The admissions that a study compares, in the order of its figures.
const (
	admitEverybody = iota
	paperOptimum
	simulatorTuned
	admissionCount
)

// admissionNames are what the admissions are called in figures.
var admissionNames = [admissionCount]string{"Admit all", "The paper's optimum, (30)", "Tuned on the simulator"}

// A plan is what a study simulates.
type plan struct {
	scenario     string // built in
	backfill     bool
	loads        []float64
	replications int // of each admission at each load
	tuning       tuning
	seed         uint64
}

// A study is the simulated outcome of each admission at each load, all on the
// same random numbers.
type study struct {
	plan
	admit    [admissionCount][][]float64     // by load and class
	outcomes [admissionCount][]sweep.Outcome // by load
}

// at returns the scenario of the plan at one load.
func (p plan) at(load float64, overrides ...scenario.Override) (*scenario.Scenario, error) {
	f, err := open(p.scenario, overrides...)
	if err != nil {
		return nil, err
	}
	return f.with(scenario.Set("load", load)).scenario()
}

// experiment returns the experiment of an admission in a scenario.
func (p plan) experiment(s *scenario.Scenario, admit []float64, seed uint64) *sweep.Experiment {
	e := &sweep.Experiment{Scenario: s, Admit: admit, Seed: seed}
	if p.backfill {
		e.Options = policy.Settings{"backfill": "true"}
	}
	return e
}

// run carries out the plan. Tuning a load counts in the progress as much as
// reporting it.
func (p plan) run(ctx context.Context, o Options) (*study, error) {
	s := &study{plan: p}
	runs := len(p.loads) * admissionCount * p.replications
	steps := &counter{total: 2 * runs, tell: o.Progress}
	if err := s.admissions(ctx, o, steps); err != nil {
		return nil, err
	}
	return s, s.report(ctx, o, steps)
}

// report simulates every admission at every load.
func (s *study) report(ctx context.Context, o Options, steps *counter) error {
	var experiments []*sweep.Experiment
	for i, load := range s.loads {
		scn, err := s.at(load)
		if err != nil {
			return err
		}
		for a := range admissionCount {
			experiments = append(experiments, s.experiment(scn, s.admit[a][i], s.seed))
		}
	}
	samples, err := replicate(ctx, o, experiments, s.replications, steps)
	if err != nil {
		return err
	}
	for i := range s.loads {
		for a := range admissionCount {
			s.outcomes[a] = append(s.outcomes[a], samples[i*admissionCount+a])
		}
	}
	return nil
}

// A runner simulates a replication of an experiment.
type runner interface {
	Run(ctx context.Context, replication int, observers ...simulate.Observer) (sweep.Sample, error)
}

// replicate simulates the replications of all experiments, spread over the
// workers at once.
func replicate[E runner](ctx context.Context, o Options, experiments []E, replications int, steps *counter) ([]sweep.Outcome, error) {
	runs := len(experiments) * replications
	samples, err := metric.Replicate(ctx, 0, runs, max(1, o.Workers), func(ctx context.Context, k int) (sweep.Sample, error) {
		defer steps.add(1)
		return experiments[k/replications].Run(ctx, k%replications)
	})
	if err != nil {
		return nil, err
	}
	outcomes := make([]sweep.Outcome, len(experiments))
	for i := range outcomes {
		outcomes[i].Samples = samples[i*replications : (i+1)*replications]
	}
	return outcomes, nil
}

// interval returns a figure of merit of an admission at the i-th load.
func (s *study) interval(admission, i int, f metric.Figure) metric.Interval {
	return s.outcomes[admission][i].Interval(f, -1)
}

// gain returns by how much a figure of one admission exceeds that of another at
// the i-th load, on common random numbers.
func (s *study) gain(admission, over, i int, f metric.Figure) metric.Interval {
	return metric.Difference(s.outcomes[admission][i].Values(f, -1), s.outcomes[over][i].Values(f, -1), metric.DefaultLevel)
}

// series draws a figure of merit of an admission along the load.
func (s *study) series(admission int, f metric.Figure) plots.Series {
	line := plots.Series{Name: admissionNames[admission], X: s.loads, Look: admission + 1}
	for i := range s.loads {
		addInterval(&line, s.interval(admission, i, f))
	}
	return line
}

// addInterval appends a point with its interval, where there is one.
func addInterval(s *plots.Series, v metric.Interval) {
	s.Y = append(s.Y, v.Mean)
	if v.N > 1 {
		s.Low = append(s.Low, v.Mean-v.HalfWidth)
		s.High = append(s.High, v.Mean+v.HalfWidth)
	}
}

// merit returns the figure of merit of the given name.
func merit(name string) metric.Figure {
	f, ok := metric.Lookup(name)
	if !ok {
		panic("paper: no figure of merit " + name)
	}
	return f
}

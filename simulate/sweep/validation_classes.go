package sweep

import (
	"context"
	"errors"
	"math"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// classArena is job classes of which finitely many jobs arrive.
type classArena struct {
	sc      *scenario.Scenario
	seed    uint64
	count   int     // jobs; 0 where horizon says when arrivals end
	horizon float64 // s; 0 where count says when
}

// newClassArena returns the workload of a scenario cut to so many jobs; 0 takes
// the scenario's own number or horizon, up to DrainedJobs.
func newClassArena(sc *scenario.Scenario, seed uint64, jobs int) (*classArena, error) {
	if arrivalRate(sc) == 0 {
		return nil, errors.New("sweep: no jobs arrive, so there is nothing to simulate")
	}
	if _, err := workload.NewClasses(sc.Classes, seed, 0); err != nil {
		return nil, err
	}
	a := &classArena{sc: sc, seed: seed, count: jobs}
	switch horizon := sc.Simulation.Horizon; {
	case jobs > 0:
	case horizon > 0:
		a.horizon = horizon * math.Min(1, DrainedJobs/expectedJobs(sc))
	default:
		a.count = min(sc.Simulation.Jobs, DrainedJobs)
	}
	return a, nil
}

// drained is a source that ends.
type drained struct {
	*workload.Classes
	left    int // jobs to come; not looked at with a horizon
	horizon float64
}

// Next implements simulate.Source.
func (d *drained) Next(j *simulate.Job) (bool, error) {
	if d.horizon == 0 && d.left == 0 {
		return false, nil
	}
	d.left--
	ok, err := d.Classes.Next(j)
	return ok && (d.horizon == 0 || j.Submit <= d.horizon), err
}

func (a *classArena) source(replication int) (*drained, error) {
	classes, err := workload.NewClasses(a.sc.Classes, a.seed, replication)
	return &drained{classes, a.count, a.horizon}, err
}

func (a *classArena) experiment(c Contender, admit []float64) *Experiment {
	return &Experiment{Scenario: a.sc, Policy: c.Policy, Options: c.Options, Admit: admit, Seed: a.seed}
}

func (a *classArena) check(c Contender, admit []float64) error {
	return a.experiment(c, admit).Check()
}

// run implements arena. The window closes with the last arrival, so that
// figures per second are over the time in which jobs arrive, of all jobs.
func (a *classArena) run(ctx context.Context, c Contender, admit []float64, replication int) (Sample, error) {
	site, err := a.experiment(c, admit).site()
	if err != nil {
		return Sample{}, err
	}
	source, err := a.source(replication)
	if err != nil {
		return Sample{}, err
	}
	tally := metric.NewTally(len(a.sc.Classes))
	_, err = simulate.Run(ctx, simulate.Config{
		Source: source, Sites: []simulate.Site{site}, Window: simulate.Window{Horizon: a.horizon},
		Observers: []simulate.Observer{tally},
	})
	s := Sample{Total: tally.Total()}
	for i := range a.sc.Classes {
		s.Classes = append(s.Classes, tally.Class(i))
	}
	return s, err
}

func (a *classArena) offered(ctx context.Context, replication int, _ func(*simulate.Job) bound.Job) ([]bound.Job, error) {
	source, err := a.source(replication)
	if err != nil {
		return nil, err
	}
	return bound.Collect(ctx, source, 0, bound.FromClass)
}

func (a *classArena) machine() bound.Machine { return bound.Uniform(a.sc.Nodes) }

func (a *classArena) classes() []string {
	var names []string
	for _, c := range a.sc.Classes {
		names = append(names, c.Name)
	}
	return names
}

func (a *classArena) jobs() float64 {
	if a.count > 0 {
		return float64(a.count)
	}
	return a.horizon * arrivalRate(a.sc)
}

func (a *classArena) seconds(last float64) float64 {
	if a.horizon > 0 {
		return a.horizon
	}
	return last
}

func (a *classArena) rate() (bound.Rate, bool) {
	r, err := bound.FluidRate(a.sc.Classes, float64(a.sc.Nodes))
	return r, err == nil
}

package sweep

import (
	"context"
	"errors"
	"fmt"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// arena is a point of a validation ready to run: finitely many jobs and the
// machine that is offered them.
type arena interface {
	// check reports what would stop a contender before it starts.
	check(c Contender, admit []float64) error
	// run simulates a replication from an empty start until the last job ends.
	run(ctx context.Context, c Contender, admit []float64, replication int) (Sample, error)
	// offered returns the jobs of a replication, in order of submission.
	offered(ctx context.Context, replication int, from func(*simulate.Job) bound.Job) ([]bound.Job, error)
	machine() bound.Machine
	classes() []string
	jobs() float64                // of a replication, on average
	seconds(last float64) float64 // in which jobs arrive, where the last does at the given time; 0 if nobody may ask
	rate() (bound.Rate, bool)     // the bound on a stream without end, where there is one
}

// opener makes arenas.
type opener struct {
	seed         uint64
	jobs         int
	replications int // that the last scenario asks for
	traces       map[traceKey]*workload.Trace
	sums         []string // of the traces read from files
}

// traceKey is what the jobs of a trace depend on.
type traceKey struct {
	file, cleaning string
	jobs           scenario.Subset
	nodes          int
}

// open decodes a scenario.
func (o *opener) open(doc *scenario.Document) (arena, error) {
	switch {
	case doc.IsTrace():
		return o.trace(doc)
	case doc.IsGrid():
		g, err := doc.Grid(KnownPolicies())
		if err != nil {
			return nil, err
		}
		o.replications = g.Replications
		return &gridArena{g, o.seed}, nil
	}
	sc, err := doc.ClassScenario()
	if err != nil {
		return nil, err
	}
	o.replications = sc.Simulation.Replications
	return newClassArena(sc, o.seed, o.jobs)
}

// trace opens a trace. One that several points share is read once.
func (o *opener) trace(doc *scenario.Document) (arena, error) {
	sc, err := doc.Trace(KnownPolicies())
	if err != nil {
		return nil, err
	}
	if sc.QoS == nil {
		return nil, &scenario.Error{File: doc.File(), Message: "expected a trace with qos: without budgets there is no value to bound"}
	}
	o.replications = sc.Replications
	key := traceKey{sc.File, sc.Cleaning, sc.Jobs, sc.Nodes}
	if o.traces[key] == nil {
		t, err := LoadTrace(sc, o.seed)
		if err != nil {
			return nil, err
		}
		if sc.File != scenario.SP2Like {
			sum, err := fileSum(sc.File)
			if err != nil {
				return nil, err
			}
			o.sums = append(o.sums, sum)
		}
		if o.traces == nil {
			o.traces = make(map[traceKey]*workload.Trace)
		}
		o.traces[key] = t
	}
	return &traceArena{sc, o.traces[key], o.seed}, nil
}

// traceArena is a trace with QoS.
type traceArena struct {
	sc    *scenario.Trace
	trace *workload.Trace
	seed  uint64
}

func (a *traceArena) experiment(c Contender) *TraceExperiment {
	return &TraceExperiment{Scenario: a.sc, Workload: a.trace, Policy: c.Policy, Options: c.Options, Seed: a.seed}
}

func (a *traceArena) check(c Contender, admit []float64) error {
	if admit != nil {
		return errors.New("sweep: admission probabilities are for job classes")
	}
	if c.Imprecise() && a.sc.IC == nil {
		return fmt.Errorf("sweep: policy %s is for jobs with optional parts: the scenario has no ic", c.Policy)
	}
	return a.experiment(c).Check()
}

func (a *traceArena) run(ctx context.Context, c Contender, _ []float64, replication int) (Sample, error) {
	return a.experiment(c).Run(ctx, replication)
}

func (a *traceArena) offered(ctx context.Context, replication int, from func(*simulate.Job) bound.Job) ([]bound.Job, error) {
	jobs, err := a.experiment(Contender{}).Jobs(replication)
	if err != nil {
		return nil, err
	}
	defer jobs.Close()
	return bound.Collect(ctx, jobs, 0, from)
}

func (a *traceArena) machine() bound.Machine {
	if a.sc.Machines == nil {
		return bound.Uniform(a.trace.Nodes())
	}
	var speeds []float64
	for _, m := range a.sc.Machines {
		speeds = append(speeds, m.Speed)
	}
	return bound.Mixed(speeds)
}

func (a *traceArena) classes() []string        { return TraceClasses(a.sc) }
func (a *traceArena) jobs() float64            { return float64(a.trace.Cleaning().Left) }
func (a *traceArena) seconds(float64) float64  { return 0 }
func (a *traceArena) rate() (bound.Rate, bool) { return bound.Rate{}, false }

// gridArena is a grid with applications, or a site with a batch.
type gridArena struct {
	grid *scenario.Grid
	seed uint64
}

func (a *gridArena) experiment(name string, options policy.Settings) *GridExperiment {
	return NewGridExperiment(a.grid, name, options, a.seed)
}

func (a *gridArena) check(c Contender, admit []float64) error {
	if admit != nil {
		return errors.New("sweep: admission probabilities are for job classes")
	}
	if _, err := LookupGridPolicy(a.grid, c.Policy); err != nil {
		return err
	}
	return a.experiment(c.Policy, c.Options).Check()
}

func (a *gridArena) run(ctx context.Context, c Contender, _ []float64, replication int) (Sample, error) {
	return a.experiment(c.Policy, c.Options).Run(ctx, replication)
}

func (a *gridArena) offered(ctx context.Context, replication int, from func(*simulate.Job) bound.Job) ([]bound.Job, error) {
	source, err := a.experiment("", nil).Workload.Source(a.seed, replication)
	if err != nil {
		return nil, err
	}
	return bound.Collect(ctx, source, 0, from)
}

func (a *gridArena) machine() bound.Machine {
	var speeds []float64
	for _, s := range a.experiment("", nil).Sites {
		speed := s.MIPS
		if speed == 0 { // jobs state seconds
			speed = 1
		}
		for range s.Processors {
			speeds = append(speeds, speed)
		}
	}
	return bound.Mixed(speeds)
}

func (a *gridArena) jobs() float64 {
	switch {
	case a.grid.Batch != nil:
		return float64(a.grid.Batch.Jobs)
	case a.grid.Listed != nil:
		return float64(len(a.grid.Listed))
	}
	return float64(a.grid.Applications.Count)
}

func (a *gridArena) classes() []string        { return []string{"all"} }
func (a *gridArena) seconds(float64) float64  { return 0 }
func (a *gridArena) rate() (bound.Rate, bool) { return bound.Rate{}, false }

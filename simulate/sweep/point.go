package sweep

import (
	"context"
	"sync"

	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// point is a point of the grid ready to run: a scenario of job classes, of a
// trace or of a grid.
type point struct {
	plan    *Plan
	index   int
	choices []PolicyChoice
	classed *scenario.Scenario
	traced  *scenario.Trace
	grid    *scenario.Grid
}

// setup decodes the scenario at a point.
func (p *Plan) setup(index int) (*point, error) {
	doc, err := p.document(index)
	if err != nil {
		return nil, err
	}
	at := &point{plan: p, index: index}
	switch {
	case doc.IsTrace():
		at.traced, err = doc.Trace(nil)
	case doc.IsGrid():
		at.grid, err = doc.Grid(nil)
	default:
		at.classed, err = doc.ClassScenario()
	}
	if err != nil {
		return nil, err
	}
	for i := range p.Spec.Policies {
		choice, err := p.choice(index, i)
		if err != nil {
			return nil, err
		}
		at.choices = append(at.choices, choice)
	}
	return at, nil
}

// keptPoints is how many points are kept ready to run. Cells of a point mostly
// run one after the other.
const keptPoints = 64

// ready returns a point ready to run.
func (p *Plan) ready(index int) (*point, error) {
	p.mu.Lock()
	once := p.points[index]
	if once == nil {
		if len(p.points) >= keptPoints {
			clear(p.points)
		}
		once = sync.OnceValues(func() (*point, error) { return p.setup(index) })
		p.points[index] = once
	}
	p.mu.Unlock()
	return once()
}

// classes returns the names of the classes.
func (b *point) classes() []string {
	switch {
	case b.traced != nil:
		return TraceClasses(b.traced)
	case b.grid != nil:
		return []string{"all"}
	}
	var names []string
	for _, c := range b.classed.Classes {
		names = append(names, c.Name)
	}
	return names
}

// cost estimates how long a cell runs, in any unit.
func (b *point) cost() float64 {
	switch {
	case b.traced != nil:
		return 1 / b.traced.Delay
	case b.grid != nil:
		return gridCost(b.grid)
	}
	return expectedJobs(b.classed) * Load(b.classed)
}

// check reports what would stop a cell before it starts, but for what is wrong
// with the file of a trace; see Plan.Open.
func (b *point) check() error {
	switch {
	case b.traced != nil:
		return b.checkTrace()
	case b.grid != nil:
		return b.checkGrid()
	}
	for _, a := range b.plan.Spec.Admissions {
		e := &Experiment{Scenario: b.classed, Admit: a.Admit, Seed: b.plan.Spec.Seed}
		for _, p := range b.choices {
			e.Policy, e.Options = p.Name, p.Options
			c := &Comparison{Experiments: []*Experiment{e}}
			if err := c.Check(); err != nil {
				return err
			}
		}
	}
	return nil
}

// run runs a cell of the point and returns its numbers: every figure of all
// jobs, then of each class where classes are wanted.
func (b *point) run(ctx context.Context, c cell) ([]float64, error) {
	r, err := b.runner(ctx, c)
	if err != nil {
		return nil, err
	}
	sample, err := r.Run(ctx, c.replication)
	if err != nil {
		return nil, err
	}
	values := make([]float64, 0, b.plan.Values())
	for g := range b.plan.groups {
		sum := sample.Total
		if g > 0 {
			sum = sample.Classes[g-1]
		}
		for _, f := range b.plan.figures {
			values = append(values, f.Of(sum))
		}
	}
	return values, nil
}

// runner returns the experiment of a cell.
func (b *point) runner(ctx context.Context, c cell) (runner, error) {
	spec := b.plan.Spec
	choice := b.choices[c.policy]
	switch {
	case b.grid != nil:
		return NewGridExperiment(b.grid, choice.Name, choice.Options, spec.Seed), nil
	case b.traced != nil:
		jobs, err := b.plan.load(b.traced)
		return &TraceExperiment{Scenario: b.traced, Workload: jobs, Policy: choice.Name, Options: choice.Options, Seed: spec.Seed}, err
	}
	admit, err := b.plan.admit(ctx, b, c.admission, c.policy)
	if err != nil {
		return nil, err
	}
	return &Experiment{Scenario: b.classed, Policy: choice.Name, Options: choice.Options, Admit: admit, Seed: spec.Seed}, nil
}

// checkTrace reports which policy cannot serve the machine of a trace.
func (b *point) checkTrace() error {
	for _, p := range b.choices {
		e := &TraceExperiment{Scenario: b.traced, Policy: p.Name, Options: p.Options}
		if err := e.Check(); err != nil {
			return err
		}
	}
	return nil
}

// Open reads the trace of a sweep, if it has one, as the first point takes it. A
// sweep that runs does so by itself; Open finds what is wrong with the file
// before anything is written.
func (p *Plan) Open() error {
	if !p.doc.IsTrace() {
		return nil
	}
	first, err := p.ready(0)
	if err != nil {
		return err
	}
	_, err = p.load(first.traced)
	return err
}

// checkGrid reports which policy cannot serve the grid.
func (b *point) checkGrid() error {
	for _, p := range b.choices {
		if err := NewGridExperiment(b.grid, p.Name, p.Options, b.plan.Spec.Seed).Check(); err != nil {
			return err
		}
	}
	return nil
}

// gridCost estimates how long a replication on a grid runs: by the applications
// or jobs, and how many of them are there at a time.
func gridCost(g *scenario.Grid) float64 {
	switch {
	case g.Batch != nil:
		return float64(g.Batch.Jobs)
	case g.Applications != nil:
		return float64(g.Applications.Count) / g.Applications.Interarrival
	}
	return float64(len(g.Listed))
}

// load returns the jobs of a trace. They are read once.
func (p *Plan) load(sc *scenario.Trace) (*workload.Trace, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	key := selection{sc.File, sc.Cleaning, sc.Jobs, sc.Nodes}
	jobs, ok := p.workloads[key]
	if !ok {
		var err error
		if jobs, err = LoadTrace(sc, p.Spec.Seed); err != nil {
			return nil, err
		}
		p.workloads[key] = jobs
	}
	return jobs, nil
}

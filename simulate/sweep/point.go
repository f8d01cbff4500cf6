package sweep

import (
	"context"
	"sync"

	"revopt/model/scenario"
	"revopt/simulate/workload"
)

// point is a point of the grid ready to run: a scenario of job classes or of a
// trace.
type point struct {
	plan    *Plan
	index   int
	classed *scenario.Scenario
	traced  *scenario.Trace
}

// setup decodes the scenario at a point.
func (p *Plan) setup(index int) (*point, error) {
	doc, err := p.document(index)
	if err != nil {
		return nil, err
	}
	at := &point{plan: p, index: index}
	if p.trace {
		at.traced, err = doc.Trace(nil)
	} else {
		at.classed, err = doc.Scenario()
	}
	return at, err
}

// classes returns the names of the classes.
func (b *point) classes() []string {
	if b.traced != nil {
		return TraceClasses(b.traced)
	}
	var names []string
	for _, c := range b.classed.Classes {
		names = append(names, c.Name)
	}
	return names
}

// cost estimates how long a cell runs, in any unit.
func (b *point) cost() float64 {
	if b.traced != nil {
		return 1 / b.traced.Delay
	}
	return expectedJobs(b.classed) * Load(b.classed)
}

// check reports what would stop a cell before it starts. That of a trace needs
// its jobs and is found when it runs.
func (b *point) check() error {
	if b.traced != nil {
		return nil
	}
	for _, a := range b.plan.Spec.Admissions {
		e := &Experiment{Scenario: b.classed, Admit: a.Admit, Seed: b.plan.Spec.Seed}
		for _, p := range b.plan.Spec.Policies {
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
	values := make([]float64, 0, b.plan.values())
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
	choice := spec.Policies[c.policy]
	if b.traced != nil {
		jobs, err := b.plan.load(b.traced)
		return &TraceExperiment{Scenario: b.traced, Workload: jobs, Policy: choice.Name, Options: choice.Options, Seed: spec.Seed}, err
	}
	admit := spec.Admissions[c.admission].Admit
	if spec.Admissions[c.admission].Name == scenario.AdmitAnalytic {
		var err error
		if admit, err = b.plan.best(ctx, b); err != nil {
			return nil, err
		}
	}
	return &Experiment{Scenario: b.classed, Policy: choice.Name, Options: choice.Options, Admit: admit, Seed: spec.Seed}, nil
}

// best returns the analytic admission at a point. It is computed once.
func (p *Plan) best(ctx context.Context, b *point) ([]float64, error) {
	p.mu.Lock()
	once := p.analytic[b.index]
	if once == nil {
		once = sync.OnceValues(func() ([]float64, error) { return p.Analytic(ctx, b.classed) })
		p.analytic[b.index] = once
	}
	p.mu.Unlock()
	return once()
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

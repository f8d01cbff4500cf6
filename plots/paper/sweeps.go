package paper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// A design is a sweep in the words of a recipe.
type design struct {
	scenario     string // built in
	set          []scenario.Override
	path         string // of what varies; empty where nothing does
	values       []float64
	policies     []scenario.Policy    // none: that of the scenario
	admissions   []scenario.Admission // none: everybody
	replications int
	metrics      []metric.Figure
}

// spec returns the sweep.
func (d design) spec(o Options) (*sweep.Spec, error) {
	doc, err := scenario.Builtin(d.scenario)
	if err != nil {
		return nil, err
	}
	s := scenario.Sweep{
		Scenario: doc, Set: d.set, Policies: d.policies, Admissions: d.admissions,
		Seed: o.Seed, Replications: d.replications,
	}
	if d.path != "" {
		s.Vary = []scenario.Axis{{Path: d.path, Values: d.values}}
	}
	for _, f := range d.metrics {
		s.Metrics = append(s.Metrics, f.Name)
	}
	return sweep.NewSpec(s)
}

// specs returns the sweeps of some designs.
func specs(o Options, designs ...design) ([]*sweep.Spec, error) {
	var list []*sweep.Spec
	for _, d := range designs {
		s, err := d.spec(o)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// drawnFrom returns the recipe of a figure that is drawn from the results of
// sweeps.
func (r Recipe) drawnFrom(sweeps func(Options) ([]*sweep.Spec, error), draw func(Options, []*sweep.Results) (Result, error)) Recipe {
	r.Sweeps = sweeps
	r.Build = func(ctx context.Context, o Options) (Result, error) {
		list, err := sweeps(o)
		if err != nil {
			return Result{}, err
		}
		found, err := o.runSweeps(ctx, list)
		if err != nil {
			return Result{}, err
		}
		return draw(o, found)
	}
	return r
}

// runSweeps runs sweeps one after another. Those that an earlier figure has run
// are not run again.
func (o Options) runSweeps(ctx context.Context, list []*sweep.Spec) ([]*sweep.Results, error) {
	found := make([]*sweep.Results, len(list))
	for i, s := range list {
		var err error
		if found[i], err = o.Shared.results(s, func() (*sweep.Results, error) { return o.part(i, len(list)).runSweep(ctx, s) }); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// runSweep runs a sweep, from where an interrupted one was.
func (o Options) runSweep(ctx context.Context, s *sweep.Spec) (*sweep.Results, error) {
	plan, err := sweep.NewPlan(s)
	if err != nil {
		return nil, err
	}
	plan.Analytic, plan.Starts = analyticAdmission, searchStarts
	local := sweep.Local{Plan: plan, Dir: o.keep(plan), Workers: max(1, o.Workers), Progress: o.Progress}
	return local.Run(ctx)
}

// run returns the numbers of some other work, by cell.
func (o Options) run(ctx context.Context, w sweep.Work) ([][]float64, error) {
	return sweep.Engine{Dir: o.keep(w), Workers: max(1, o.Workers), Progress: o.Progress}.Run(ctx, w)
}

// keep returns where the journal of some work is kept, nothing where none is.
func (o Options) keep(w sweep.Work) string {
	if o.Dir == "" {
		return ""
	}
	sum := sha256.Sum256([]byte(w.Name()))
	dir := filepath.Join(o.Dir, hex.EncodeToString(sum[:8]))
	o.Shared.journal(dir)
	return dir
}

// part returns options whose progress is the i-th part of n of that of o.
func (o Options) part(i, n int) Options {
	if tell := o.Progress; tell != nil {
		o.Progress = func(done, total int) { tell(i*total+done, n*total) }
	}
	return o
}

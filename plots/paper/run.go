package paper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"slices"
	"sync"

	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// Shared keeps the results of sweeps that several figures draw from. Recipes
// that are built with one Shared run a common sweep once; the figures are the
// same as without it. The zero value is empty and ready for use.
type Shared struct {
	mu       sync.Mutex
	found    map[string]*study.SweepResults // by the hash of the sweep
	journals []string
}

// results returns the results of a sweep, which run makes where they
// are not known yet. A sweep that failed is forgotten.
func (s *Shared) results(spec *study.SweepSpec, run func() (*study.SweepResults, error)) (*study.SweepResults, error) {
	if s == nil {
		return run()
	}
	if known := s.known(spec); known != nil {
		return known, nil
	}
	made, err := run()
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.found == nil {
		s.found = make(map[string]*study.SweepResults)
	}
	s.found[spec.Hash()] = made
	return made, nil
}

func (s *Shared) known(spec *study.SweepSpec) *study.SweepResults {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.found[spec.Hash()]
}

// Journals returns the directories in Options.Dir that the recipes used. They
// are of no use once all figures are written.
func (s *Shared) Journals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journals)
}

// journal remembers a directory.
func (s *Shared) journal(dir string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journals = append(s.journals, dir)
}

// A design is a sweep in the words of a recipe.
type design struct {
	scenario     string // built in
	set          []scenario.Override
	path         string // of what varies; empty where nothing does
	values       []float64
	policies     []scenario.Policy    // none: that of the scenario
	admissions   []scenario.Admission // none: everybody
	replications int
	metrics      []metric.Measure
}

// spec returns the sweep.
func (d design) spec(o Options) (*study.SweepSpec, error) {
	f := o.open(d.scenario, d.set...)
	s := scenario.Sweep{
		Plain:    true, // tables are of the means that the papers have
		Scenario: f.doc, Set: f.overrides, Policies: o.Reading.apply(d.policies), Admissions: d.admissions,
		Seed: o.Seed, Replications: d.replications,
	}
	if d.path != "" {
		s.Vary = []scenario.Axis{{Path: d.path, Values: d.values}}
	}
	for _, f := range d.metrics {
		s.Metrics = append(s.Metrics, f.Name)
	}
	return study.NewSweepSpec(s, nil)
}

// specs returns the sweeps of some designs.
func specs(o Options, designs ...design) ([]*study.SweepSpec, error) {
	var list []*study.SweepSpec
	for _, d := range designs {
		s, err := d.spec(o)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// runSweeps runs sweeps one after another. Those that an earlier figure has run
// are not run again.
func (o Options) runSweeps(ctx context.Context, list []*study.SweepSpec) ([]*study.SweepResults, error) {
	found := make([]*study.SweepResults, len(list))
	for i, s := range list {
		var err error
		if found[i], err = o.Shared.results(s, func() (*study.SweepResults, error) { return o.part(i, len(list)).runSweep(ctx, s) }); err != nil {
			return nil, err
		}
	}
	return found, nil
}

// runSweep runs a sweep, from where an interrupted one was.
func (o Options) runSweep(ctx context.Context, s *study.SweepSpec) (*study.SweepResults, error) {
	work, err := study.NewSweep(ctx, s)
	if err != nil {
		return nil, err
	}
	return work.RunOn(ctx, o.engine(work))
}

// validate runs a validation, from where an interrupted one was.
func (o Options) validate(ctx context.Context, v *study.Validation) (*study.Validated, error) {
	work, err := v.Open(ctx)
	if err != nil {
		return nil, err
	}
	return work.Validate(ctx, o.engine(work))
}

// engine returns the engine that runs some work, and keeps it.
func (o Options) engine(w study.Work) study.Engine {
	return study.Engine{Dir: o.keep(w), Workers: max(1, o.Workers), Progress: o.Progress}
}

// keep returns where the journal of some work is kept, nothing where none is.
func (o Options) keep(w study.Work) string {
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

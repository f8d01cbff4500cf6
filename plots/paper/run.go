package paper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"revopt/internal/text"
	"revopt/model/scenario"
	plans "revopt/simulate/plan"
	"revopt/simulate/subject"
)

// Shared keeps the results of sweeps that several figures draw from, so that a common sweep runs once. The
// zero value is ready for use.
type Shared struct {
	mu       sync.Mutex
	results  map[string]*plans.Samples // by the hash of the sweep
	journals []string
}

// known returns the results of a sweep, nil where it was not run.
func (s *Shared) known(spec *plans.Plan) *plans.Samples {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.results[spec.Hash()]
}

func (s *Shared) add(spec *plans.Plan, r *plans.Samples) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.results == nil {
		s.results = make(map[string]*plans.Samples)
	}
	s.results[spec.Hash()] = r
}

// Journals returns the directories in Options.Dir that the recipes used. They
// are of no use once all figures are written.
func (s *Shared) Journals() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.journals)
}

func (s *Shared) journal(dir string) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journals = append(s.journals, dir)
}

// A table is the results of a plan.
type table struct {
	plan
	results []*plans.Samples
	at      [][]place
}

func (p plan) specs(o Options) ([]*plans.Plan, error) {
	sweeps, _ := p.sweeps(o)
	return text.Try(sweeps, func(s scenario.Sweep) (*plans.Plan, error) { return plans.NewSweep(s, nil) })
}

// run simulates a plan, sweep by sweep. Sweeps of earlier figures are not run again.
func (p plan) run(ctx context.Context, o Options) (*table, error) {
	err := p.checkTrace()
	if err != nil {
		return nil, err
	}
	list, err := p.specs(o)
	if err != nil {
		return nil, err
	}
	_, at := p.sweeps(o)
	t := &table{plan: p, at: at}
	for i, s := range list {
		r := o.Shared.known(s)
		if r == nil {
			r, err = o.part(i, len(list)).runSweep(ctx, s)
			if err != nil {
				return nil, err
			}
			o.Shared.add(s, r)
		}
		t.results = append(t.results, r)
	}
	return t, nil
}

// checkTrace returns an error where the trace of a plan does not exist.
func (p plan) checkTrace() error {
	_, err := os.Stat(p.trace)
	if p.trace != "" && errors.Is(err, fs.ErrNotExist) {
		return &scenario.Error{File: p.trace, Message: "no such file"}
	}
	return nil
}

// numbers returns a measure of a row at the i-th value of the axis, by replication.
func (t *table) numbers(row, i int, measure string) []float64 {
	at := t.at[row][i]
	return t.results[at.sweep].Values(at.Case, measure, "")
}

// runSweep runs a sweep, from where an interrupted one was. Its journal has a directory
// of its own where the options name one.
func (o Options) runSweep(ctx context.Context, s *plans.Plan) (*plans.Samples, error) {
	work, err := s.Open(ctx, &subject.Opener{Seed: s.Seed, Workers: max(1, o.Workers)})
	if err != nil {
		return nil, err
	}
	runner := &plans.Runner{Workers: max(1, o.Workers), Progress: func(_ string, done, total int) {
		if o.Progress != nil {
			o.Progress(done, total)
		}
	}}
	if o.Dir != "" {
		sum := sha256.Sum256([]byte(work.Name()))
		runner.Dir = filepath.Join(o.Dir, hex.EncodeToString(sum[:8]))
		o.Shared.journal(runner.Dir)
	}
	return runner.Run(ctx, work, "simulating")
}

// part returns options whose progress is the i-th part of n of that of o.
func (o Options) part(i, n int) Options {
	if tell := o.Progress; tell != nil {
		o.Progress = func(done, total int) { tell(i*total+done, n*total) }
	}
	return o
}

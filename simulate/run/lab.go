package run

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"revopt/internal/budget"
	"revopt/internal/memo"
	"revopt/internal/text"
	"revopt/internal/workdir"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// Options say how a lab works. The zero value uses all processors and keeps records in memory.
type Options struct {
	Seed     uint64
	Policies []policy.Spec         // that scenarios may name; nil is subject.Standard
	Named    []policy.Spec         // that cases may name; nil is those of scenarios
	Opener   *subject.Opener       // keeps traces; nil: a new one
	Store    *Store                // nil: a new one in memory
	Workers  int                   // 0: one for each processor
	Shard    workdir.Shard         // cases of other shards are not run
	Kept     bool                  // records of the store are used, and nothing is computed: see MissingError
	Progress func(done, total int) // of the cases that are not known yet
}

// Lab runs the cases of a scenario. Records are the same at any number of workers.
type Lab struct {
	Store *Store

	o       Options
	base    *scenario.Document
	opener  *subject.Opener
	subject *subject.Subject
	groups  *jobGroups // whose waits are measured: those of the scenario as it is
	inputs  string

	layout      *layout
	points      memo.Memo[string, *point]
	experiments memo.Memo[string, *Experiment]
	admissions  memo.Memo[string, Gate]
	policies    sync.Map // subject.Policy by label: files that they read are relative to the scenario
	alone       bool     // further providers are left out
	spare       *spare
}

// NewLab opens a scenario.
func NewLab(ctx context.Context, doc *scenario.Document, o Options) (*Lab, error) {
	l := &Lab{Store: o.Store, o: o, base: doc, opener: o.Opener}
	if l.opener == nil || l.opener.Seed != o.Seed {
		l.opener = &subject.Opener{Seed: o.Seed, Policies: o.Policies}
	}
	if l.Store == nil {
		l.Store = &Store{}
	}
	s, err := l.opener.Open(ctx, doc)
	if err != nil {
		return nil, err
	}
	if err := s.Check(); err != nil {
		return nil, err
	}
	trace, err := l.opener.Sum(s.Scenario.Trace)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(slices.Concat(doc.Source(), []byte{0}, []byte(trace)))
	l.subject, l.groups, l.inputs = s, layoutOf(s), hex.EncodeToString(sum[:])
	l.layout, l.spare = &layout{}, newSpare(o.Workers)
	return l, nil
}

// Subject returns the scenario as it is.
func (l *Lab) Subject() *subject.Subject { return l.subject }

// Specs returns the policies that cases may name.
func (l *Lab) Specs() []policy.Spec {
	if l.o.Named != nil {
		return l.o.Named
	}
	return l.subject.Specs
}

// SubjectOf returns the scenario of a case.
func (l *Lab) SubjectOf(ctx context.Context, c Case) (*subject.Subject, error) {
	at, err := l.point(ctx, c)
	if err != nil {
		return nil, err
	}
	return at.subject, nil
}

// Models returns the admissions that the queueing model knows at the point of a case.
func (l *Lab) Models(ctx context.Context, c Case) (*Models, error) {
	at, err := l.point(ctx, c)
	if err != nil {
		return nil, err
	}
	return at.models, nil
}

// Groups returns the groups of jobs whose waits are measured.
func (l *Lab) Groups() []JobGroup { return l.groups.Groups() }

// Base returns the scenario as it is as a case that does nothing yet.
func (l *Lab) Base() Case {
	return Case{Inputs: l.inputs, Set: text.Each(l.base.Overrides(), scenario.Override.String), Seed: l.o.Seed}
}

// Policy returns the action that simulates a policy.
func (l *Lab) Policy(p subject.Policy) (Action, error) {
	a := Action{Policy: p.Label()}
	l.policies.Store(a.Policy, p)
	if p.Spec.Inputs == nil {
		return a, nil
	}
	var sums []string
	for _, file := range p.Spec.Inputs(p.Settings) {
		sum, err := l.opener.Sums.Get(file, 0, func() (string, error) { return subject.FileSum(file) })
		if err != nil {
			return a, err
		}
		sums = append(sums, sum)
	}
	a.Files = strings.Join(sums, " ")
	return a, nil
}

// record returns the record of a case: that of the store, or a new one.
func (l *Lab) record(ctx context.Context, name string, c Case) (Record, error) {
	if r, known := l.Store.get(name, c.Replication); known {
		return r, nil
	}
	if l.o.Kept {
		return Record{}, &MissingError{}
	}
	r, err := l.compute(ctx, c)
	if err != nil {
		return Record{}, err
	}
	return r, l.Store.put(name, c, r)
}

// MissingError is a record that the store of a lab that computes nothing does not have.
type MissingError struct{}

func (e *MissingError) Error() string { return "results are missing" }

// compute runs a case.
func (l *Lab) compute(ctx context.Context, c Case) (Record, error) {
	switch {
	case c.Do.Bound != nil:
		return l.bound(ctx, c)
	case c.Do.Model != "":
		return l.model(ctx, c)
	case c.Do.Find != nil:
		return l.search(ctx, c)
	}
	return l.simulate(ctx, c)
}

// Watch runs a case of a policy again, for observers. The record is not kept.
func (l *Lab) Watch(ctx context.Context, c Case, observers ...simulate.Observer) (Record, error) {
	return l.simulate(ctx, c, observers...)
}

// Random reports whether the replications of a row differ.
func (l *Lab) Random(ctx context.Context, row Case) (bool, error) {
	switch {
	case row.Do.Model != "" || row.Do.Find != nil:
		return false, nil
	case row.Do.Bound != nil:
		at, err := l.point(ctx, row)
		if err != nil {
			return false, err
		}
		return at.workload.Random(), at.boundable(*row.Do.Bound)
	}
	e, err := l.Experiment(ctx, row)
	if err != nil {
		return false, err
	}
	return e.Random(), nil
}

// wanted is a row in some replications.
type wanted struct {
	it   Case
	name string
	once bool // nothing is random: replication 0 stands for all
	look bool // a rule to stop looks at its intervals
	from int  // the first replication
	n    int  // replications
}

// want returns the rows of the lab's shard in n replications from one on, each once. It opens their points, and finds
// admissions, several at a time.
func (l *Lab) want(ctx context.Context, rows []Case, from, n int) ([]wanted, error) {
	var list []wanted
	seen := map[string]bool{}
	for _, it := range rows {
		name := it.Row()
		if !seen[name] && it.in(l.o.Shard) {
			seen[name] = true
			list = append(list, wanted{it: it, name: name, from: from, n: n})
		}
	}
	random, err := metric.Replicate(ctx, 0, len(list), l.o.Workers, func(ctx context.Context, i int) (bool, error) {
		return l.Random(ctx, list[i].it)
	})
	if err != nil {
		return nil, err
	}
	for i := range list {
		list[i].once = !random[i]
		if list[i].once {
			list[i].from, list[i].n = 0, 1
		}
	}
	return list, nil
}

// failures are the policies that failed, by the names of their rows.
type failures struct {
	mu   sync.Mutex
	rows map[string]*RunError // the first replication that failed
}

// skip reports whether a replication need not run, because one before it failed.
func (f *failures) skip(name string, replication int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	failed := f.rows[name]
	return failed != nil && failed.Replication < replication
}

// note keeps the error of a policy, which then does not end the work. Other errors are returned.
func (f *failures) note(name string, err error) error {
	var failed *RunError
	if !errors.As(err, &failed) {
		return err
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.rows == nil {
		f.rows = map[string]*RunError{}
	}
	if first := f.rows[name]; first == nil || failed.Replication < first.Replication {
		f.rows[name] = failed
	}
	return nil
}

// job is a replication of a row.
type job struct {
	*wanted
	replication int
}

// missing returns the replications that the store does not have, one after another, so that what is interrupted has
// whole ones. Rows of many points come a few points at a time: no more of these are kept open.
func (l *Lab) missing(list []wanted) (jobs []job) {
	for _, part := range fewPoints(list) {
		most := slices.MaxFunc(part, func(a, b wanted) int { return a.n - b.n }).n
		for k := range most {
			for i := range part {
				w := &part[i]
				if k >= w.n {
					continue
				}
				if _, known := l.Store.get(w.name, w.from+k); !known {
					jobs = append(jobs, job{w, w.from + k})
				}
			}
		}
	}
	return jobs
}

// fewPoints cuts rows into parts of at most so many points as are kept open.
func fewPoints(list []wanted) (parts [][]wanted) {
	begin, points := 0, map[string]bool{}
	for i, w := range list {
		point := w.it.Point().Row()
		if !points[point] && len(points) == keptPoints {
			parts = append(parts, list[begin:i])
			begin, points = i, map[string]bool{}
		}
		points[point] = true
	}
	if begin < len(list) {
		parts = append(parts, list[begin:])
	}
	return parts
}

// run computes the replications that the store does not have.
func (l *Lab) run(ctx context.Context, list []wanted, failed *failures) error {
	if err := l.afford(ctx, list); err != nil {
		return err
	}
	jobs := l.missing(list)
	if l.o.Kept && len(jobs) > 0 {
		return &MissingError{}
	}
	var mu sync.Mutex
	done, left := 0, len(jobs)
	l.tell(done, len(jobs))
	busy := l.spare.call(len(jobs))
	defer func() { l.spare.free(busy) }()
	_, err := metric.Replicate(ctx, 0, len(jobs), l.o.Workers, func(ctx context.Context, i int) (struct{}, error) {
		j := jobs[i]
		if failed.skip(j.name, j.replication) {
			return struct{}{}, nil
		}
		_, err := l.record(ctx, j.name, j.it.At(j.replication))
		if err != nil && ctx.Err() == nil {
			err = failed.note(j.name, err)
		}
		mu.Lock()
		defer mu.Unlock()
		done++
		left--
		if left < busy { // a worker has nothing left to do
			busy--
			l.spare.free(1)
		}
		l.tell(done, len(jobs))
		return struct{}{}, err
	})
	return err
}

// Limits of the records of a frame: how many there may be, and the memory of one for each group of jobs, about.
const (
	mostRecords = 10_000_000
	recordBytes = 800
)

// afford refuses rows that do not fit into memory.
func (l *Lab) afford(ctx context.Context, list []wanted) error {
	records, size, n := 0.0, 0.0, 0
	groups := 1 + len(l.groups.Groups())
	for _, w := range list {
		records += float64(w.n)
		size += float64(w.n) * float64(groups*recordBytes)
		n = max(n, w.n)
	}
	asked := text.Plural(n, "replication") + " of " + text.Plural(len(list), "run")
	if records > mostRecords {
		return &TooManyError{asked}
	}
	if err := budget.Memory(ctx, size, "%s ask for", asked); err != nil {
		return err
	}
	for _, w := range list {
		var err error
		switch {
		case w.it.Do.Bound != nil:
			err = l.affordBound(ctx, w)
		case w.it.Do.Policy != "":
			err = l.affordRuns(ctx, w)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// affordRuns refuses simulations that do not fit into memory.
func (l *Lab) affordRuns(ctx context.Context, w wanted) error {
	e, err := l.Experiment(ctx, w.it)
	if err != nil {
		return err
	}
	return e.AffordRuns(ctx, w.n, l.o.Workers)
}

// TooManyError is a frame of more records than there may be.
type TooManyError struct{ Asked string }

func (e *TooManyError) Error() string {
	return fmt.Sprintf("expected at most %d records, got %s", mostRecords, e.Asked)
}

func (l *Lab) tell(done, total int) {
	if l.o.Progress != nil {
		l.o.Progress(done, total)
	}
}

package paper

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"os"
	"slices"
	"sync"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// Shared keeps the results of plans that several figures draw from, so that a common plan runs once. The zero value is
// ready for use.
type Shared struct {
	mu     sync.Mutex
	tables map[string]*table // by the key of the plan
}

// known returns the results of a plan, nil where it was not run.
func (s *Shared) known(key string) *table {
	if s == nil {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.tables[key]
}

func (s *Shared) add(key string, t *table) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.tables == nil {
		s.tables = make(map[string]*table)
	}
	s.tables[key] = t
}

// A table is the results of a plan.
type table struct {
	plan
	lab   *run.Lab
	frame *run.Frame
	cases [][]run.Case // by row and value of the axis
}

// run simulates a plan. Plans of earlier figures are not run again.
func (p plan) run(ctx context.Context, o Options) (*table, error) {
	if t := o.Shared.known(p.key(o)); t != nil {
		return &table{p, t.lab, t.frame, t.cases}, nil
	}
	if err := p.checkTrace(); err != nil {
		return nil, err
	}
	f := o.open(p.scenario, slices.Concat(p.set, traced(p.trace))...)
	doc, err := f.doc.With(f.overrides...)
	if err != nil {
		return nil, err
	}
	t := &table{plan: p}
	err = o.inLab(ctx, doc, func(l *run.Lab) error {
		var err error
		t.lab = l
		t.cases, err = p.cases(l, o.Reading)
		if err != nil {
			return err
		}
		t.frame, err = complete(l.Frame(ctx, slices.Concat(t.cases...), p.replications))
		return err
	})
	if err != nil {
		return nil, err
	}
	o.Shared.add(p.key(o), t)
	return t, nil
}

// complete returns a frame in which no policy has failed.
func complete(f *run.Frame, err error) (*run.Frame, error) {
	if err != nil {
		return nil, err
	}
	if failed := f.Failures(); failed != nil {
		return nil, failed[0]
	}
	return f, nil
}

// key tells plans apart whose results differ.
func (p plan) key(o Options) string {
	words := fmt.Sprintf("%+v %s %v", o.open(p.scenario, slices.Concat(p.set, traced(p.trace))...).overrides, p.path, p.values)
	for _, r := range p.rows {
		words += fmt.Sprintf("\n%+v %s %+v", o.Reading.apply([]scenario.Policy{{Name: r.policy, Options: r.options}}), r.option, r.set)
		if r.admission != nil {
			words += " " + r.admission.Name
			if r.admission.Search != nil {
				words += fmt.Sprintf(" %+v", *r.admission.Search)
			}
		}
		words += fmt.Sprint(r.admits)
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%d %d\n%s", p.scenario, o.Seed, p.replications, words))
	return hex.EncodeToString(sum[:8])
}

// cases returns the cases of the rows at each value of the axis.
func (p plan) cases(l *run.Lab, reading Reading) ([][]run.Case, error) {
	var list [][]run.Case
	axis := scenario.Axis{Path: p.path, Values: p.values}
	for _, r := range p.rows {
		row := l.Base().With(false, text.Each(r.set, scenario.Override.String)...)
		if r.admission != nil {
			row.Admission = run.Admission{Name: r.admission.Name, Search: r.admission.Search}
		}
		var cases []run.Case
		for i := range p.values {
			c := row
			if p.path != "" {
				c = row.With(false, axis.Override(i).String())
			}
			chosen, err := r.chosen(l.Subject(), reading, p.values[i])
			if err != nil {
				return nil, err
			}
			c.Do, err = l.Policy(chosen)
			if err != nil {
				return nil, err
			}
			if r.admits != nil {
				c.Admission.Admit = r.admits[i]
			}
			cases = append(cases, c)
		}
		list = append(list, cases)
	}
	return list, nil
}

// chosen returns the policy of a row under a reading, at a value of the axis.
func (r row) chosen(s *subject.Subject, reading Reading, x float64) (subject.Policy, error) {
	if r.policy == "" {
		list, err := s.Policies()
		if err != nil {
			return subject.Policy{}, err
		}
		return list[0], nil
	}
	options := maps.Clone(r.options)
	if r.option != "" {
		if options == nil {
			options = make(map[string]string)
		}
		options[r.option] = fmt.Sprint(x)
	}
	named := reading.apply([]scenario.Policy{{Name: r.policy, Options: options}})[0]
	return subject.NewPolicy(nil, named.Name, named.Options)
}

// checkTrace returns an error where the trace of a plan does not exist.
func (p plan) checkTrace() error {
	_, err := os.Stat(p.trace)
	if p.trace != "" && errors.Is(err, fs.ErrNotExist) {
		return &scenario.Error{File: p.trace, Message: "no such file"}
	}
	return nil
}

// measured are the columns of measures that have other names in figures, and their units in those of the columns.
var measured = map[string]struct {
	column string
	scale  float64
}{
	"revenue_per_second":    {run.ColumnRevenue, 1.0 / perHour},
	"utility":               {run.ColumnValueTotal, 1},
	"acceptance":            {"admitted", 1},
	"job_qos_satisfaction":  {"kept", 1},
	"cluster_profitability": {"profitability", 1},
}

// numbers returns a measure of a row at the i-th value of the axis, by replication.
func (t *table) numbers(row, i int, measure string) []float64 {
	m, other := measured[measure]
	if !other {
		m.column, m.scale = measure, 1
	}
	return scaled(valuesOf(t.frame.Series(t.cases[row][i], run.All, m.column)), m.scale)
}

// valuesOf returns a series as numbers, not numbers where it has none.
func valuesOf(s run.Series) []float64 {
	list := make([]float64, s.Len())
	for k := range list {
		x, there := s.At(k)
		if !there {
			x = math.NaN()
		}
		list[k] = x
	}
	return list
}

// admit returns the admission of a row at the i-th value of the axis.
func (t *table) admit(ctx context.Context, row, i int) ([]float64, error) {
	e, err := t.lab.Experiment(ctx, t.cases[row][i])
	if err != nil {
		return nil, err
	}
	return e.Admission.Admit, nil
}

// inLab does the work of a plan.
func (o Options) inLab(ctx context.Context, doc *scenario.Document, work func(*run.Lab) error) error {
	l, err := run.NewLab(ctx, doc, run.Options{Seed: o.Seed, Workers: max(1, o.Workers), Progress: o.Progress})
	if err != nil {
		return err
	}
	return work(l)
}

// part returns options whose progress is the i-th part of n of that of o.
func (o Options) part(i, n int) Options {
	if tell := o.Progress; tell != nil {
		o.Progress = func(done, total int) { tell(i*total+done, n*total) }
	}
	return o
}

package run

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
)

// queue is a small stream of two classes.
const queue = `
name: queue
server: {nodes: 4}
load: 0.8
simulation: {jobs: 1500, warmup: 10%}
classes:
  - {name: urgent, share: 0.3, length: {mean: 100, sd: 30}, price: 10, decay: 0.004}
  - {name: batch, share: 0.7, length: {mean: 60, dist: exponential}, price: 4, decay: 0.0001}
`

func openLab(t *testing.T, text string, o Options) *Lab {
	t.Helper()
	l, err := NewLab(t.Context(), fixture.Parsed(t, text), o)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// rowsOf returns cases of policies.
func rowsOf(l *Lab, names ...string) []Case {
	var list []Case
	for _, name := range names {
		c := l.Base()
		c.Do.Policy = name
		list = append(list, c)
	}
	return list
}

// shown is all numbers of a frame.
func shown(f *Frame, rows []Case) string {
	words := ""
	for _, row := range rows {
		for _, group := range f.Groups(row) {
			for _, m := range Measures() {
				words += fmt.Sprint(row.Do.Policy, group, m.Name, f.Estimate(f.Series(row, group, m.Name)), "\n")
			}
		}
	}
	return words
}

// TestWorkers: a frame is the same at any number of workers, and however often the work was interrupted.
func TestWorkers(t *testing.T) {
	const n = 4
	one := openLab(t, queue, Options{Seed: 3, Workers: 1})
	rows := rowsOf(one, "hol", "easy")
	whole, err := one.Frame(t.Context(), rows, n)
	if err != nil {
		t.Fatal(err)
	}
	want := shown(whole, rows)
	several := openLab(t, queue, Options{Seed: 3, Workers: 4})
	f, err := several.Frame(t.Context(), rows, n)
	if err != nil || shown(f, rows) != want {
		t.Errorf("4 workers: %v\n%s\nwant\n%s", err, shown(f, rows), want)
	}
	dir := t.TempDir()
	for done := range n {
		store, err := OpenStore(dir, StoreOptions{Build: testBuild("ab")})
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		l := openLab(t, queue, Options{Seed: 3, Workers: 2, Store: store, Progress: func(d, _ int) {
			if d > 1 {
				cancel()
			}
		}})
		f, err := l.Frame(ctx, rows, n)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if err == nil && shown(f, rows) != want {
			t.Errorf("after %d interruptions:\n%s\nwant\n%s", done, shown(f, rows), want)
		}
		if err != nil {
			for k := range f.N(rows[0]) {
				for i := range rows {
					if !reflect.DeepEqual(f.records(rows[i])[k], whole.records(rows[i])[k]) {
						t.Errorf("interrupted: replication %d of row %d differs", k, i)
					}
				}
			}
		}
		store.Close()
	}
	store, err := OpenStore(dir, StoreOptions{ReadOnly: true, AnyBuild: true})
	if err != nil || store.Len() != n*len(rows) {
		t.Errorf("%d records, want %d: %v", store.Len(), n*len(rows), err)
	}
}

// TestInterrupted: a run ends in the middle of a replication, and what is whole is kept.
func TestInterrupted(t *testing.T) {
	l := openLab(t, queue, Options{Seed: 1})
	rows := rowsOf(l, "hol", "hol")
	rows[1] = rows[1].With(false, "simulation.jobs=1000000000") // about ten minutes
	if _, err := l.record(t.Context(), rows[0].Row(), rows[0]); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	begun := time.Now()
	f, err := l.Frame(ctx, rows, 1)
	if took := time.Since(begun); !errors.Is(err, context.DeadlineExceeded) || took > time.Minute {
		t.Errorf("%v after %v", err, took)
	} else {
		t.Logf("ended %v after the interruption", took-50*time.Millisecond)
	}
	if f.Has(rows[1]) || l.Store.Len() != 1 {
		t.Errorf("%d records", l.Store.Len())
	}
}

// TestOnce: where nothing is random, one replication stands for all and pairs with each of the others.
func TestOnce(t *testing.T) {
	l := openLab(t, fixture.Customers(t), Options{Seed: 1})
	rows := rowsOf(l, "easy", "easy")
	rows[1].Admission.Admit = []float64{0.5, 1}
	f, err := l.Frame(t.Context(), rows, 5)
	if err != nil {
		t.Fatal(err)
	}
	if f.N(rows[0]) != 1 || f.N(rows[1]) != 5 || l.Store.Len() != 6 {
		t.Fatalf("%d and %d replications, %d records", f.N(rows[0]), f.N(rows[1]), l.Store.Len())
	}
	lost := f.Series(rows[1], All, "admitted").Less(f.Series(rows[0], All, "admitted"))
	if i := f.Estimate(lost); i.N != 5 || !(i.Mean < 0) {
		t.Errorf("%+v", i)
	}
	if i := f.Estimate(f.Series(rows[0], All, ColumnValue)); i.N != 1 {
		t.Errorf("%+v", i)
	}
}

// TestAbsent: a number that no job defines has no column.
func TestAbsent(t *testing.T) {
	l := openLab(t, queue, Options{Seed: 1})
	row := rowsOf(l, "hol")[0]
	row.Admission.Admit = []float64{0, 0}
	r, err := l.record(t.Context(), row.Row(), row)
	if err != nil {
		t.Fatal(err)
	}
	if x, there := r.Get(All, ColumnMeanWait); there {
		t.Errorf("a mean wait of %g where no job started", x)
	}
	if x, there := r.Get(All, "admitted"); !there || x != 0 {
		t.Errorf("admitted %g, %v", x, there)
	}
	if _, there := r.Groups[Customer("urgent")]; there {
		t.Error("groups that were not asked for")
	}
}

// TestUntil: the rule to stop runs until all intervals are narrow, and looks only after doublings.
func TestUntil(t *testing.T) {
	stop := Stop{Column: ColumnMeanWait, Relative: 0.15, First: 4, Most: 128}
	l := openLab(t, queue, Options{Seed: 2, Workers: 3})
	rows := rowsOf(l, "hol", "fcfs")
	f, err := l.Until(t.Context(), rows, nil, stop)
	if err != nil {
		t.Fatal(err)
	}
	n := f.N(rows[0])
	narrow := func(n int) bool {
		g, err := l.Frame(t.Context(), rows, n)
		if err != nil {
			t.Fatal(err)
		}
		g.Looked = true
		return !slices.ContainsFunc(rows, func(c Case) bool {
			return g.Estimate(g.Series(c, All, ColumnMeanWait)).Relative() > stop.Relative
		})
	}
	if n < 8 || n&(n-1) != 0 || !narrow(n) || narrow(n/2) {
		t.Errorf("%d replications", n)
	}
	if n != f.N(rows[1]) {
		t.Errorf("%d and %d replications at one point", n, f.N(rows[1]))
	}
	stop.Relative, stop.Most = 1e-6, 8
	var wide *ImpreciseError
	f, err = l.Until(t.Context(), rows, nil, stop)
	if !errors.As(err, &wide) || wide.Replications != 8 || f.N(rows[0]) != 8 {
		t.Errorf("%v in %d replications", err, f.N(rows[0]))
	}
}

// failing is a policy that gives up.
type failing struct{ policy.Backfill }

func (p *failing) Schedule(c *simulate.Cluster) { c.Fail(errors.New("it fails")) }

// TestFailed: a policy that fails is left out, with its first replication that failed, and others are not.
func TestFailed(t *testing.T) {
	spec := policy.Spec{Name: "failing", Make: policy.InContext(func(_ policy.Settings, c policy.Context) simulate.Policy {
		if c.Replication >= 2 {
			return &failing{}
		}
		return &policy.Backfill{}
	})}
	for _, workers := range []int{1, 4} {
		l := openLab(t, queue, Options{Seed: 1, Workers: workers, Policies: append(subject.Standard(), spec)})
		rows := rowsOf(l, "failing", "easy")
		f, err := l.Frame(t.Context(), rows, 5)
		if err != nil {
			t.Fatal(err)
		}
		failed := f.Failed(rows[0])
		if failed == nil || failed.Replication != 2 || f.Has(rows[0]) || f.N(rows[1]) != 5 {
			t.Errorf("%d workers: %v, %d replications of the other", workers, failed, f.N(rows[1]))
		}
	}
}

// TestSeries: arithmetic of series with missing numbers and of different lengths.
func TestSeries(t *testing.T) {
	a := Series{values: []float64{1, 2, 3}}
	b := Series{values: []float64{2, 0}}
	if got := a.Over(b); got.Len() != 2 {
		t.Errorf("%v", got)
	} else if _, there := got.At(1); there {
		t.Error("a share of nothing")
	}
	if x, _ := a.Less(Constant(1)).At(2); x != 2 {
		t.Errorf("%g", x)
	}
	if d := a.Less(a.Scaled(1 + 1e-14)); d.Positive() != 0 {
		t.Errorf("rounding is a difference: %v", d)
	}
	if _, there := a.Plus(Series{}).Mean(); there {
		t.Error("a sum with nothing")
	}
	if got := a.Over(b).Whole(); got.Positive() != 0 {
		t.Errorf("an unfair sample: %v", got)
	}
	if i := (&Frame{}).Estimate(a); i.Mean != 2 || i.N != 3 || i.Level != metric.DefaultLevel {
		t.Errorf("%+v", i)
	}
}

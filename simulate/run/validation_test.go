package run

import (
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate"
	"revopt/simulate/workload"
)

// against is drained rows of a scenario and the bounds on their jobs, in some replications.
type against struct {
	*Frame
	rows   []Case
	limits Case
}

// validated runs rows and the bounds on the value of their jobs.
func validated(t testing.TB, l *Lab, n int, how Bound, rows ...Case) against {
	t.Helper()
	how.On = Value().Name
	a := against{rows: rows, limits: bounded(l, rows[0], how)}
	a.Frame = framed(t, l, n, append(rows[:len(rows):len(rows)], a.limits)...)
	return a
}

// numbers returns a column of all jobs by replication.
func (a against) numbers(row Case, column string) []float64 { return a.Series(row, All, column).values }

// share returns the share of the bound that a row delivers.
func (a against) share(row Case) float64 {
	o := Value()
	mean, _ := a.Reached(o, a.Delivered(o, row, a.limits, nil), a.Limit(o, a.limits, nil)).Mean()
	return mean
}

// TestDrainedByLindley sets what a class workload books against Lindley's
// recursion over all its jobs: no warm-up, and followed to the last.
func TestDrainedByLindley(t *testing.T) {
	l := openLab(t, fixture.Constant, Options{Seed: 5, Workers: 2})
	a := validated(t, l, 3, Bound{}, drained(l, "fcfs", nil, 150), drained(l, "hol", []float64{0.5}, 150))
	w := fixture.Opened(t, fixture.Constant).Workload
	for k := range 3 {
		source, err := w.Jobs(5, k)
		if err != nil {
			t.Fatal(err)
		}
		var all, half, last float64
		free, freeHalf := 0.0, 0.0
		for range 150 {
			var j simulate.Job
			if _, err := source.Next(&j); err != nil {
				t.Fatal(err)
			}
			start := math.Max(j.Submit, free)
			all, free = all+100-(start-j.Submit), start+10
			if j.Chance < 0.5 {
				start := math.Max(j.Submit, freeHalf)
				half, freeHalf = half+100-(start-j.Submit), start+10
			}
			last = j.Submit
		}
		for i, want := range []float64{all, half} {
			row := a.rows[i]
			got, charged := a.numbers(row, ColumnValueTotal)[k], a.numbers(row, ColumnRevenueTotal)[k]
			if math.Abs(got-want) > 1e-6 || charged != got {
				t.Errorf("replication %d, %s: %g and %g charged, want %g", k, row.Do.Policy, got, charged, want)
			}
			jobs, seconds := a.numbers(row, ColumnSubmitted)[k], a.numbers(row, ColumnObserved)[k]
			if jobs != 150 || math.Abs(seconds-last) > 1e-9 {
				t.Errorf("%g jobs in %g s, want 150 in %g", jobs, seconds, last)
			}
		}
		jobs, seconds := a.numbers(a.limits, BoundJobs)[k], a.numbers(a.limits, ColumnSpan)[k]
		if jobs != 150 || math.Abs(seconds-last) > 1e-9 {
			t.Errorf("%g jobs in %g s, want 150 in %g", jobs, seconds, last)
		}
		// Nobody can have more than the price of each job; a wait is certain
		// for one of two jobs that overlap.
		if best := a.numbers(a.limits, BoundLimit)[k]; best < all || best > 150*100 {
			t.Errorf("bound %g, earned %g of 15000", best, all)
		}
	}
	if e := a.share(a.rows[0]); e < 0.8 || e > 1+1e-6 {
		t.Errorf("share %g", e)
	}
	if d := a.share(a.rows[0]) - a.share(a.rows[1]); d < 0.3 {
		t.Errorf("difference %g", d)
	}
}

// TestEfficiencyByHand works an example on paper. In turn the two jobs earn 100
// and 90. The relaxed problem pays the work of the first ten seconds in full and
// that of the others $1 less per second, so $5 less in all: 195.
func TestEfficiencyByHand(t *testing.T) {
	// Two jobs of 10 s and $100 come at once to one node and lose $1 per second of wait.
	job := simulate.Job{Work: 10, Width: 1, Value: simulate.Value{Price: 100, Due: 10, Decay: 1, Floor: math.Inf(1)}}
	w := &given{
		sites: []workload.Site{{Site: simulate.Site{Processors: 1}}}, has: simulate.Has{Alike: true, Sites: 1}, charging: simulate.ByValue, jobs: []simulate.Job{job, job},
	}
	s, err := under(t, w, "fcfs", nil, nil, 1).Run(t.Context(), 0)
	if err != nil || s.Total.Value != 190 {
		t.Errorf("delivered %g, want 190: %v", s.Total.Value, err)
	}
	c := Case{Do: Action{Bound: &Bound{Gap: 1e-6}}}
	b, err := valueBound(t.Context(), c, machinesOf(w)[0], newSpare(2))
	if err != nil || math.Abs(b.limit-195) > 0.02 || !(b.gap >= 0 && b.gap < 1e-3) {
		t.Errorf("bound %g with gap %g, want 195: %v", b.limit, b.gap, err)
	}
}

// TestTightInLightLoad checks that the bounds are near what policies earn where
// jobs are hardly ever in each other's way.
func TestTightInLightLoad(t *testing.T) {
	l := openLab(t, fixture.Constant, Options{Seed: 2})
	fcfs := drained(l, "fcfs", nil, 200)
	light := validated(t, l, 3, Bound{}, fcfs.With(false, "load=0.02"))
	if e := light.share(light.rows[0]); e < 0.998 || e > 1+1e-6 {
		t.Errorf("share %g in light load", e)
	}
	heavy := validated(t, l, 3, Bound{}, fcfs.With(false, "load=3"))
	if e := heavy.share(heavy.rows[0]); e > 0 { // an unbounded penalty on nearly every job
		t.Errorf("share %g in heavy load", e)
	}
}

// TestAllThereIs checks that a policy which collects all there is, in another
// order than the bounds add it up, is not above them by a rounding error.
func TestAllThereIs(t *testing.T) {
	const idle = `server: {nodes: 3}
load: 0.001
classes:
  - {name: a, share: 0.3, length: {mean: 10, dist: deterministic}, price: 3, decay: 0.1}
  - {name: b, share: 0.7, length: {mean: 10, sd: 30, dist: hyperexponential}, width: {values: [1, 3], weights: [0.5, 0.5]}, price: {per_unit_hour: 100}, decay: 0.01, grace: {lengths: 2}}
`
	l := openLab(t, idle, Options{Seed: 1})
	a := validated(t, l, 8, Bound{}, drained(l, "hol", nil, 300))
	for k, most := range a.numbers(a.limits, BoundLimit) {
		if got := a.numbers(a.rows[0], ColumnValueTotal)[k]; got > most {
			t.Errorf("replication %d delivers %v, the bound is %v", k, got, most)
		}
	}
}

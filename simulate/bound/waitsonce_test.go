package bound

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
)

func waitsOnce(t *testing.T, tasks []Task, m Machine) (any, once Delays) {
	t.Helper()
	any = waits(t, tasks, m)
	once, err := UnpreemptedWaits(context.Background(), tasks, m, any)
	if err != nil {
		t.Fatal(err)
	}
	if reached := delayed(tasks, m); !(once.Bound >= any.Bound && once.Bound <= reached*(1+1e-9)) {
		t.Fatalf("bound %v, for any policy %v, a schedule has %v", once.Bound, any.Bound, reached)
	}
	return any, once
}

// randomTasks returns few tasks that are crowded on a small machine, with outages at times.
func randomTasks(r *rand.Rand, most int) ([]Task, Machine) {
	m := Uniform(1 + r.IntN(8))
	tasks := make([]Task, 1+r.IntN(most))
	slowdown := r.IntN(2) == 0
	for i := range tasks {
		x := Task{
			Release: float64(r.IntN(12)), Length: float64(1 + r.IntN(4)), Width: 1 + r.IntN(m.Nodes),
			Weight: float64(r.IntN(4)),
		}
		if r.IntN(3) == 0 {
			x.Length *= 5
		}
		if r.IntN(3) == 0 && m.Nodes > 1 {
			x.Width = m.Nodes / 2
		}
		if r.IntN(4) == 0 {
			x.Grace = float64(r.IntN(5))
		}
		if slowdown {
			x.Weight = 1 / (x.Length + x.Grace)
		}
		tasks[i] = x
	}
	if r.IntN(4) == 0 {
		from := float64(1 + r.IntN(8))
		again := from + float64(1+r.IntN(5))
		m.Up = []Level{{From: from, Units: r.IntN(m.Nodes)}, {From: again, Units: m.Nodes}}
	}
	return tasks, m
}

// checkOnce compares bounds with exhaustive search and returns the sums of both bounds and of the optima.
func checkOnce(t *testing.T, n, most int, seed uint64) (any, once, best float64) {
	r := rand.New(rand.NewPCG(seed, 46))
	for range n {
		tasks, m := randomTasks(r, most)
		a, o := waitsOnce(t, tasks, m)
		least := shortest(tasks, m)
		if o.Bound > least*(1+1e-9) || delayed(tasks, m) < least*(1-1e-9) {
			t.Fatalf("bound %v, optimum %v, schedule %v: %+v on %+v", o.Bound, least, delayed(tasks, m), tasks, m)
		}
		any, once, best = any+a.Bound, once+o.Bound, best+least
	}
	t.Logf("%d problems: %.3g of the optima, for any policy %.3g", n, once/best, any/best)
	return any, once, best
}

// No schedule of few tasks that runs each once has less delay than the bound, which is closer than that for any
// policy.
func TestUnpreemptedWaitsExhaustive(t *testing.T) {
	if any, once, best := checkOnce(t, 60, 5, 1); once < 0.7*best || once < 1.1*any {
		t.Errorf("bounds are %.3g of the optima, those for any policy %.3g", once/best, any/best)
	}
}

// Two tasks of half the machine do not run beside a task of one node: of three such pairs of a day one has to wait
// for the other, though a fluid lets both run at nearly full rate.
func TestUnpreemptedWaitsSlots(t *testing.T) {
	const day = 86400
	tasks := []Task{
		{Length: 2 * day, Width: 1, Weight: 1 / (2.0 * day)},
		{Length: day, Width: 64, Weight: 1.0 / day}, {Length: day, Width: 64, Weight: 1.0 / day},
	}
	any, once := waitsOnce(t, tasks, Uniform(128))
	if best := shortest(tasks, Uniform(128)); !(any.Bound < 0.1*best && once.Bound > 0.8*best && once.Bound <= best) {
		t.Errorf("bound %v, for any policy %v, optimum %v", once.Bound, any.Bound, best)
	}
}

// The bound is one for equal nodes of rate 1, does not change from run to run, and ends with its context.
func TestUnpreemptedWaitsApart(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 46))
	tasks, _ := randomTasks(r, 40)
	any, once := waitsOnce(t, tasks, Uniform(8))
	if _, again := waitsOnce(t, tasks, Uniform(8)); again.Bound != once.Bound {
		t.Errorf("%+v, then %+v", once, again)
	}
	_, err := UnpreemptedWaits(context.Background(), tasks, Mixed([]float64{1, 2}), any)
	if err == nil || !strings.Contains(err.Error(), "bound: machine: nodes that are not equal") {
		t.Errorf("unlike nodes: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := UnpreemptedWaits(ctx, tasks, Uniform(8), any); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	if _, none := waitsOnce(t, nil, Uniform(2)); none != (Delays{}) || math.IsNaN(none.Gap) {
		t.Errorf("no tasks: %+v", none)
	}
}

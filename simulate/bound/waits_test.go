package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// shortest returns the least sum of weighted delays of schedules that run every task once,
// without interruption: tasks start one after the other in some order, each as early as it can
// after the one before. Some order is optimal, since starting times of an optimal schedule rise
// in it and none can be earlier.
func shortest(tasks []Task, m Machine) float64 {
	best := math.Inf(1)
	start := make([]float64, len(tasks))
	var try func(order []int, rest []int, sum float64)
	try = func(order, rest []int, sum float64) {
		if sum >= best {
			return
		}
		if len(rest) == 0 {
			best = sum
			return
		}
		for i, j := range rest {
			t := tasks[j]
			at := t.Release
			times := []float64{at}
			for _, o := range order {
				at = math.Max(at, start[o])
				times = append(times, start[o]+tasks[o].Length)
			}
			for _, l := range m.Up {
				times = append(times, l.From)
			}
			times = append(times, at)
			slices.Sort(times)
			for _, s := range times {
				if s >= at && fits(tasks, order, start, t, s, m) {
					start[j] = s
					break
				}
			}
			delay := t.Weight * math.Max(0, start[j]-t.Release-t.Grace)
			others := slices.Delete(slices.Clone(rest), i, i+1)
			try(append(slices.Clone(order), j), others, sum+delay)
		}
	}
	all := make([]int, len(tasks))
	for i := range all {
		all[i] = i
	}
	try(nil, all, 0)
	return best
}

// fits reports whether a task can run from s on beside those that have started.
func fits(tasks []Task, order []int, start []float64, t Task, s float64, m Machine) bool {
	used := func(at float64) int {
		n, up := t.Width, m.Nodes
		for _, o := range order {
			if start[o] <= at && at < start[o]+tasks[o].Length {
				n += tasks[o].Width
			}
		}
		for _, l := range m.Up {
			if l.From <= at {
				up = l.Units
			}
		}
		return n - up
	}
	if used(s) > 0 {
		return false
	}
	for _, l := range m.Up {
		if s < l.From && l.From < s+t.Length && used(l.From) > 0 {
			return false
		}
	}
	return true
}

func waits(t *testing.T, tasks []Task, m Machine) Delays {
	t.Helper()
	d, err := Waits(context.Background(), tasks, m)
	if err != nil {
		t.Fatal(err)
	}
	if !(d.Bound >= 0 && d.Bound <= d.Feasible*(1+1e-12)) {
		t.Fatalf("bound %v, a relaxed schedule has %v", d.Bound, d.Feasible)
	}
	return d
}

// No schedule of few tasks has less delay than the bound, whatever the widths, weights, graces
// and outages.
func TestWaitsExhaustive(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 32))
	var tight, all float64
	for range 300 {
		m := Uniform(1 + r.IntN(4))
		tasks := make([]Task, 1+r.IntN(6))
		for i := range tasks {
			tasks[i] = Task{
				Release: float64(r.IntN(8)), Length: float64(1 + r.IntN(6)),
				Width: 1 + r.IntN(m.Nodes), Weight: float64(r.IntN(4)),
			}
			if r.IntN(4) == 0 {
				tasks[i].Grace = float64(r.IntN(5))
			}
		}
		if r.IntN(3) == 0 {
			from := float64(1 + r.IntN(5))
			again := from + float64(1+r.IntN(5))
			m.Up = []Level{{From: from, Units: r.IntN(m.Nodes)}, {From: again, Units: m.Nodes}}
		}
		d, best := waits(t, tasks, m), shortest(tasks, m)
		if d.Bound > best*(1+1e-9) {
			t.Fatalf("bound %v, optimum %v: %+v on %+v", d.Bound, best, tasks, m)
		}
		tight, all = tight+d.Bound, all+best
	}
	if tight < 0.5*all {
		t.Errorf("bounds are %.3g of the optima", tight/all)
	}
}

// On one unit, and where every task is as wide as the machine, tasks that are all there are
// best run by falling weight over length, and the bound is that schedule.
func TestWaitsSmith(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, nodes := range []int{1, 8} {
		tasks := make([]Task, 40)
		for i := range tasks {
			tasks[i] = Task{Release: 100, Length: math.Exp(r.NormFloat64()), Width: nodes, Weight: r.Float64()}
		}
		slices.SortFunc(tasks, func(a, b Task) int {
			if a.Weight/a.Length > b.Weight/b.Length {
				return -1
			}
			return 1
		})
		var now, want float64
		for _, x := range tasks {
			want += x.Weight * now
			now += x.Length
		}
		if d := waits(t, tasks, Uniform(nodes)); d.Bound > want*(1+1e-9) || d.Bound < 0.999*want {
			t.Errorf("%d nodes: bound %v, want %v", nodes, d.Bound, want)
		}
	}
}

// A task that does not fit the machine is left out, one without work or weight adds nothing, and
// where nothing competes the bound is 0.
func TestWaitsApart(t *testing.T) {
	d := waits(t, []Task{
		{Release: 1, Length: 5, Width: 3, Weight: 1}, {Length: 0, Width: 1, Weight: 1}, {Length: 5, Width: 2},
		{Length: 4, Width: 2, Weight: 1}, {Release: 4, Length: 4, Width: 1, Weight: 1},
	}, Uniform(2))
	if d.TooWide != 1 || d.Bound != 0 || d.Feasible > 1e-9 {
		t.Errorf("got %+v", d)
	}
	for _, bad := range []Task{
		{Width: 0}, {Width: 1, Length: -1}, {Width: 1, Grace: math.NaN()}, {Width: 1, Weight: math.Inf(1)},
	} {
		if _, err := Waits(context.Background(), []Task{bad}, Uniform(2)); err == nil {
			t.Errorf("%+v: expected an error", bad)
		}
	}
	if d := waits(t, nil, Uniform(2)); d != (Delays{}) {
		t.Errorf("no tasks: %+v", d)
	}
}

// The bound is at most, and nearly, the optimum of the relaxed problem with constant rates in slots of
// half a second, a linear program. Schedules that interrupt tasks at whole seconds are points of it.
func TestWaitsEqualsLinearProgram(t *testing.T) {
	r := rand.New(rand.NewPCG(32, 7))
	const slots, slot, worth = 40, 0.5, 1000 // worth so much per node-second that all work is done
	var sum, all float64
	for range 20 {
		nodes := 1 + r.IntN(4)
		tasks := make([]Task, 2+r.IntN(4))
		var p program
		cells := make([][]int, slots)
		least := 0.0
		for i := range tasks {
			x := Task{Release: float64(r.IntN(6)), Length: float64(1 + r.IntN(3)), Width: 1 + r.IntN(nodes), Weight: 1}
			tasks[i] = x
			work := x.Length * float64(x.Width)
			least += worth*work - x.Length/2
			var own []int
			for k := range slots {
				if from := slot * float64(k); from >= x.Release {
					v := p.variable(worth - (from+slot/2-x.Release)/work)
					p.atMost(slot*float64(x.Width), v)
					own, cells[k] = append(own, v), append(cells[k], v)
				}
			}
			p.atMost(work, own...)
		}
		for _, variables := range cells {
			p.atMost(slot*float64(nodes), variables...)
		}
		least -= p.solve(t)
		d := waits(t, tasks, Uniform(nodes))
		if d.Bound > least+1e-6 {
			t.Errorf("bound %v, linear program %v: %+v on %d", d.Bound, least, tasks, nodes)
		}
		sum, all = sum+d.Bound, all+least
	}
	if sum < 0.95*all {
		t.Errorf("bounds are %.3g of the optima", sum/all)
	}
}

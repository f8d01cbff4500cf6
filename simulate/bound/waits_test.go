package bound

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
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

func waits(t *testing.T, tasks []Task, m Machine) float64 {
	t.Helper()
	bound, err := Waits(context.Background(), tasks, m)
	if err != nil || !(bound >= relaxed(tasks, m)) {
		t.Fatalf("bound %v, that of the relaxed problem %v, %v", bound, relaxed(tasks, m), err)
	}
	return bound
}

// relaxed returns the bound of the relaxed problem, which holds for any policy.
func relaxed(tasks []Task, m Machine) float64 {
	d := must(newDelays(tasks, m))
	if len(d.list) == 0 {
		return 0
	}
	d.relax(context.Background())
	return max(0, d.bound())
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

// checkWaits compares bounds with exhaustive search and returns the sums of the bounds, of those of the relaxed problem,
// and of the optima.
func checkWaits(t *testing.T, n, most int, seed uint64) (bounds, any, best float64) {
	r := rand.New(rand.NewPCG(seed, 46))
	for range n {
		tasks, m := randomTasks(r, most)
		bound, least := waits(t, tasks, m), shortest(tasks, m)
		if bound > least*(1+1e-9) {
			t.Fatalf("bound %v, optimum %v: %+v on %+v", bound, least, tasks, m)
		}
		bounds, any, best = bounds+bound, any+relaxed(tasks, m), best+least
	}
	t.Logf("%d problems: %.3g of the optima, by the relaxed problem %.3g", n, bounds/best, any/best)
	return bounds, any, best
}

// No schedule of few tasks that runs each once has less delay than the bound, whatever the widths, weights, graces and
// outages. The bound is closer than that of the relaxed problem.
func TestWaitsExhaustive(t *testing.T) {
	if bounds, any, best := checkWaits(t, 120, 5, 1); bounds < 0.7*best || bounds < 1.1*any {
		t.Errorf("bounds are %.3g of the optima, those of the relaxed problem %.3g", bounds/best, any/best)
	}
}

// Two tasks of half the machine do not run beside a task of one node: of three such pairs of a day one has to wait
// for the other, though a fluid lets both run at nearly full rate.
func TestWaitsSlots(t *testing.T) {
	const day = 86400
	tasks := []Task{
		{Length: 2 * day, Width: 1, Weight: 1 / (2.0 * day)},
		{Length: day, Width: 64, Weight: 1.0 / day}, {Length: day, Width: 64, Weight: 1.0 / day},
	}
	m := Uniform(128)
	bound, any, best := waits(t, tasks, m), relaxed(tasks, m), shortest(tasks, m)
	if !(any < 0.1*best && bound > 0.8*best && bound <= best) {
		t.Errorf("bound %v, of the relaxed problem %v, optimum %v", bound, any, best)
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
		if bound := waits(t, tasks, Uniform(nodes)); bound > want*(1+1e-9) || bound < 0.999*want {
			t.Errorf("%d nodes: bound %v, want %v", nodes, bound, want)
		}
	}
}

// A task that does not fit the machine is left out, one without work or weight adds nothing, and
// where nothing competes the bound is 0. The bound is one for equal nodes of rate 1, does not change from run to run, and
// ends with its context.
func TestWaitsApart(t *testing.T) {
	if bound := waits(t, []Task{
		{Release: 1, Length: 5, Width: 3, Weight: 1}, {Length: 0, Width: 1, Weight: 1}, {Length: 5, Width: 2},
		{Length: 4, Width: 2, Weight: 1}, {Release: 4, Length: 4, Width: 1, Weight: 1},
	}, Uniform(2)); bound != 0 {
		t.Errorf("got %g", bound)
	}
	if bound := waits(t, nil, Uniform(2)); bound != 0 {
		t.Errorf("no tasks: %g", bound)
	}
	for _, bad := range []Task{
		{Width: 0}, {Width: 1, Length: -1}, {Width: 1, Grace: math.NaN()}, {Width: 1, Weight: math.Inf(1)},
	} {
		if _, err := Waits(context.Background(), []Task{bad}, Uniform(2)); err == nil {
			t.Errorf("%+v: expected an error", bad)
		}
	}
	tasks, _ := randomTasks(rand.New(rand.NewPCG(2, 46)), 40)
	if a, b := waits(t, tasks, Uniform(8)), waits(t, tasks, Uniform(8)); a != b {
		t.Errorf("%g, then %g", a, b)
	}
	_, err := Waits(context.Background(), tasks, Mixed([]float64{1, 2}))
	if err == nil || !strings.Contains(err.Error(), "bound: machine: nodes that are not equal") {
		t.Errorf("unlike nodes: %v", err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Waits(ctx, tasks, Uniform(8)); !errors.Is(err, context.Canceled) {
		t.Errorf("canceled: %v", err)
	}
}

// The bound of the relaxed problem is at most, and nearly, its optimum with constant rates in slots of
// half a second, a linear program. Schedules that interrupt tasks at whole seconds are points of it.
func TestRelaxedEqualsLinearProgram(t *testing.T) {
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
		bound := relaxed(tasks, Uniform(nodes))
		if bound > least+1e-6 {
			t.Errorf("bound %v, linear program %v: %+v on %d", bound, least, tasks, nodes)
		}
		sum, all = sum+bound, all+least
	}
	if sum < 0.95*all {
		t.Errorf("bounds are %.3g of the optima", sum/all)
	}
}

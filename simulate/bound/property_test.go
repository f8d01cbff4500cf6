package bound

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/simulate"
)

// small returns a few dozen jobs of a kind, crowded on 16 nodes.
func small(kind string, seed uint64) []Job {
	switch kind {
	case "hard", "soft":
		soft := 0.0
		if kind == "soft" {
			soft = 0.7
		}
		specs := sp2(60, 0.2, soft, seed)
		for i := range specs {
			specs[i].Width = min(specs[i].Width, 32)
		}
		return wholes(specs)
	case "class":
		return classJobs(60, 2, 16, seed)
	}
	rnd := rand.New(rand.NewPCG(seed, 5))
	jobs := make([]Job, 60)
	for i := range jobs {
		at, m, o := 100*rnd.Float64(), 1+5*rnd.Float64(), 10*rnd.Float64()
		jobs[i] = impreciseJob(at, at+(m+o)*(1+rnd.Float64()), 1, Part{m, 10 * rnd.Float64()}, Part{o, 20 * rnd.Float64()})
	}
	return jobs
}

// classJobs returns jobs of a class workload of the given load on so many
// nodes: short and dear, long and cheap, with grace or floor.
func classJobs(n int, load float64, nodes int, seed uint64) []Job {
	rnd := rand.New(rand.NewPCG(seed, 6))
	classes := []struct{ share, length, width, price, decay, grace, floor float64 }{
		{0.05, 4400, 0.1, 60000, 4, 0, 0.05},
		{0.15, 8000, 0.05, 20000, 0.5, 3600, 0},
		{0.30, 1000, 0.0625, 1000, 0.3, 0, math.Inf(1)},
		{0.50, 14400, 0.02, 9000, 0.1, 0, -0.2},
	}
	var work float64
	for _, c := range classes {
		work += c.share * c.length * math.Max(1, math.Round(c.width*float64(nodes)))
	}
	jobs := make([]Job, n)
	var now float64
	for i := range jobs {
		now += rnd.ExpFloat64() * work / (load * float64(nodes))
		u, k := rnd.Float64(), 0
		for k < 3 && u > classes[k].share {
			u -= classes[k].share
			k++
		}
		c := classes[k]
		length := c.length * (0.4 + 1.2*rnd.Float64())
		j := simulate.Job{
			Submit: now, Work: length, Width: max(1, int(math.Round(c.width*float64(nodes)))), Expire: math.Inf(1),
			Value: simulate.Value{Price: c.price, Decay: c.decay, Due: c.grace + length, Floor: c.floor * c.price},
		}
		jobs[i] = Whole(&j)
	}
	return jobs
}

var kinds = []string{"hard", "soft", "class", "imprecise"}

func clairvoyant(t *testing.T, jobs []Job, m Machine, o Options) Result {
	t.Helper()
	r := must(Clairvoyant(context.Background(), jobs, m, o))
	if !(r.Feasible <= r.Bound) || r.Gap < 0 || r.Gap > 1 {
		t.Fatalf("schedule %g, bound %g, gap %g", r.Feasible, r.Bound, r.Gap)
	}
	return r
}

const slack = 1 + 1e-9

func TestMoreNodesNeverLowerTheBound(t *testing.T) {
	for _, kind := range kinds {
		rising := 0
		for seed := range uint64(3) {
			jobs := small(kind, seed)
			last := Result{}
			for nodes := 1; nodes <= 64; nodes *= 2 {
				r := clairvoyant(t, jobs, Uniform(nodes), Options{})
				// The relaxed optimum lies between the schedule and the bound.
				if r.Bound*slack < last.Feasible || r.Gap > 0.01 {
					t.Errorf("%s %d: bound %g on %d nodes with gap %g, schedule %g on half of them", kind, seed, r.Bound, nodes, r.Gap, last.Feasible)
				}
				if r.Bound > last.Bound*1.01 {
					rising++
				}
				if fluid := packed(jobs, Uniform(nodes)); r.Bound > fluid*slack {
					t.Errorf("%s %d: clairvoyant %g above fluid %g", kind, seed, r.Bound, fluid)
				}
				last = r
			}
		}
		if rising < 6 {
			t.Errorf("%s: the bound rose only %d times", kind, rising)
		}
	}
}

func TestLaterDeadlinesNeverLowerTheBound(t *testing.T) {
	for _, kind := range kinds {
		for seed := range uint64(3) {
			jobs := small(kind, seed)
			last := Result{}
			for _, more := range []float64{0, 0.1, 0.5, 2} {
				later := make([]Job, len(jobs))
				for i, j := range jobs {
					j.End = j.Release + (1+more)*(j.End-j.Release)
					j.Late.After = j.Release + (1+more)*(j.Late.After-j.Release)
					later[i] = j
				}
				r := clairvoyant(t, later, Uniform(16), Options{})
				if r.Bound*slack < last.Feasible {
					t.Errorf("%s %d: bound %g with %g more time, schedule %g with less", kind, seed, r.Bound, more, last.Feasible)
				}
				if kind == "hard" && (!r.Exact || r.Bound*slack < last.Bound) {
					t.Errorf("hard %d: bound %g with %g more time, %g with less", seed, r.Bound, more, last.Bound)
				}
				last = r
			}
		}
	}
}

// TestAnyPricesBound sets the bounds of random and of disturbed prices against
// a schedule.
func TestAnyPricesBound(t *testing.T) {
	rnd := rand.New(rand.NewPCG(13, 1))
	m := Uniform(16)
	for _, kind := range kinds {
		for seed := range uint64(3) {
			jobs := small(kind, seed)
			r := clairvoyant(t, jobs, m, Options{})
			for range 30 {
				p := disturbed(rnd, r.Prices)
				b := proved(p, jobs, m)
				if b*slack < r.Feasible {
					t.Errorf("%s: bound %g below a schedule's %g", kind, b, r.Feasible)
				}
			}
		}
	}
}

// disturbed returns prices near the given ones.
func disturbed(rnd *rand.Rand, p Prices) Prices {
	q := Prices{Times: p.Times, Level: make([]float64, len(p.Level)), Slope: make([]float64, len(p.Level))}
	by := math.Exp(4 * rnd.NormFloat64())
	for k := range q.Level {
		q.Level[k] = p.Level[k] * math.Max(0, 1+by*rnd.NormFloat64())
		q.Slope[k] = (2*rnd.Float64() - 1) * 2 * q.Level[k] / (p.Times[k+1] - p.Times[k]) * (1 - 1e-9)
	}
	return q
}

// TestEnginesAgree sets greedy flow and cost scaling, two different ways to the
// same optimum, against each other.
func TestEnginesAgree(t *testing.T) {
	for _, kind := range []string{"hard", "imprecise"} {
		for seed := range uint64(4) {
			m := Uniform(16)
			items, _ := newItems(small(kind, seed), m)
			grid := events(items, m)
			a, b := newNetwork(context.Background(), items, grid, m), newNetwork(context.Background(), items, grid, m)
			level := a.greedy()
			s := newScaling(b)
			s.solve(1e-9)
			p := Prices{Times: grid, Level: level}
			want := p.bound(context.Background(), items, m)
			for name, n := range map[string]*network{"greedy": a, "scaling": b} {
				if got := n.schedule(grid, m); math.Abs(got-want) > 1e-7*want {
					t.Errorf("%s %d: %s earns %.10g of %.10g", kind, seed, name, got, want)
				}
				checkFlow(t, n)
			}
		}
	}
}

// checkFlow checks the limits of a network.
func checkFlow(t *testing.T, n *network) {
	t.Helper()
	used := make([]float64, len(n.capacity))
	for j := range n.items {
		var sum float64
		for k, e := int(n.first[j]), n.base[j]; e < n.base[j+1]; k, e = k+1, e+1 {
			if x := n.flow[e]; x < 0 || x > n.limit(j, k)*slack {
				t.Errorf("item %d has %g of %g in cell %d", j, x, n.limit(j, k), k)
			}
			used[k] += n.flow[e]
			sum += n.flow[e]
		}
		if sum > n.items[j].work()*slack {
			t.Errorf("item %d does %g of %g", j, sum, n.items[j].work())
		}
	}
	for k, x := range used {
		if x > n.capacity[k]*slack {
			t.Errorf("cell %d has %g of %g", k, x, n.capacity[k])
		}
	}
}

// TestCoarseGridsBound checks that few cells make the bound looser, not wrong.
func TestCoarseGridsBound(t *testing.T) {
	for _, kind := range kinds {
		jobs := small(kind, 3)
		best := clairvoyant(t, jobs, Uniform(16), Options{Gap: 1e-4})
		if best.Gap > 0.002 {
			t.Errorf("%s: gap %g", kind, best.Gap)
		}
		for _, edges := range []int{1, 100, 300, 1000} {
			r := clairvoyant(t, jobs, Uniform(16), Options{Gap: 1e-12, first: edges, edges: edges})
			if r.Bound*slack < best.Feasible || r.Feasible > best.Bound*slack {
				t.Errorf("%s, %d edges: %g to %g, apart from %g to %g", kind, edges, r.Feasible, r.Bound, best.Feasible, best.Bound)
			}
		}
	}
}

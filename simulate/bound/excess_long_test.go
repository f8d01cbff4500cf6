//go:build long

package bound

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
)

// exact finds the best schedule of whole jobs without preemption by branch and
// bound: jobs are listed by their starts, each as early as those before it allow,
// which loses nothing since no job gains by waiting. A branch ends where prices,
// of the time that is left and to the jobs that are left, allow no more.
type exact struct {
	*runs
	level   []float64
	sums    []float64 // price of a node up to the times of the grid
	left    []bool
	running []run // release is the start
	best    float64
	steps   int
}

// solved looks for a schedule that earns more than best, with prices of nodes to prove by.
func solved(jobs []Job, m Machine, p Prices, best float64) *exact {
	x := &exact{runs: newRuns(context.Background(), jobs, m, p.Times), level: p.Level, best: best, steps: 300000}
	x.sums, x.left = []float64{0}, slices.Repeat([]bool{true}, len(x.list))
	for k, level := range p.Level {
		x.sums = append(x.sums, x.sums[k]+level*(p.Times[k+1]-p.Times[k]))
	}
	x.take(x.level, make([]float64, len(x.level)))
	x.from(math.Inf(-1), -1, 0)
	return x
}

// total returns the price of a node up to time t.
func (x *exact) total(t float64) float64 {
	k := x.cell(math.Max(x.grid[0], t))
	if k == len(x.level) {
		return x.sums[k]
	}
	return x.sums[k] + x.level[k]*math.Max(0, t-x.grid[k])
}

// from tries all that can follow a schedule whose last run started at now.
func (x *exact) from(now float64, last int, value float64) {
	x.best = math.Max(x.best, value)
	if x.steps--; x.steps < 0 {
		return
	}
	before := x.total(now)
	bound := value + x.nodes*(x.total(math.Inf(1))-before)
	for _, n := range x.running {
		if end := n.release + n.length; end > now {
			bound -= n.width * (x.total(end) - before)
		}
	}
	type child struct {
		run          int
		start, score float64
	}
	var list []child
	for i, n := range x.list {
		if n.release = math.Max(now, n.release); !x.left[i] || n.release > n.last {
			continue
		}
		gain, _ := x.runs.best(&n)
		bound += gain
		s := x.earliest(&n)
		if w := n.worth(s); s <= n.last && w > 0 && (s > now || i > last) {
			list = append(list, child{i, s, w - n.width*(x.total(s+n.length)-x.total(s)) - gain - x.nodes*(x.total(s)-before)})
		}
	}
	if bound <= x.best*slack {
		return
	}
	slices.SortFunc(list, func(a, b child) int { return cmp.Compare(b.score, a.score) })
	for _, c := range list {
		n := x.list[c.run]
		n.release = c.start
		x.left[c.run], x.running = false, append(x.running, n)
		x.from(c.start, c.run, value+n.worth(c.start))
		x.left[c.run], x.running = true, x.running[:len(x.running)-1]
	}
}

// earliest returns when a run fits beside those that have started.
func (x *exact) earliest(n *run) float64 {
	for s := n.release; ; {
		used, next := n.width, math.Inf(1)
		for _, o := range x.running {
			if end := o.release + o.length; end > s {
				used, next = used+o.width, math.Min(next, end)
			}
		}
		if used <= x.nodes {
			return s
		}
		s = next
	}
}

// crowded returns 13 jobs for 16 nodes, urgent and dear or not, half of them hard.
func crowded(load float64, powers bool, seed uint64) []Job {
	rnd := rand.New(rand.NewPCG(seed, 99))
	specs := make([]simulate.Job, 13)
	var area float64
	for i := range specs {
		width, length := 1+rnd.IntN(16), math.Exp(2+0.7*rnd.NormFloat64())
		if powers {
			width = 1 << rnd.IntN(5)
		}
		work := length * float64(width)
		area += work
		due, price, decay := math.Max(1.1, 2+0.5*rnd.NormFloat64()), math.Max(0.5, 2+0.5*rnd.NormFloat64()), 0.2
		if rnd.Float64() < 0.2 {
			due, price, decay = math.Max(1.05, 1.3+0.2*rnd.NormFloat64()), math.Max(1, 8+2*rnd.NormFloat64()), 0.8
		}
		specs[i] = simulate.Job{
			Submit: rnd.Float64(), Work: length, Width: width, Expire: math.Inf(1),
			Value: simulate.ByDeadline(price*work, due*length, decay*work, rnd.IntN(2) == 0),
		}
	}
	for i := range specs {
		specs[i].Submit *= area / load / 16
	}
	return wholes(specs)
}

// TestExcess prints the table of docs/theory.md: by how much bounds exceed the
// best schedule of whole jobs without preemption.
func TestExcess(t *testing.T) {
	const instances = 6 // the table has 20
	m, ctx := Uniform(16), context.Background()
	for _, powers := range []bool{true, false} {
		for _, load := range []float64{1, 2, 4, 8} {
			var count, clair, whole, once, below float64
			for seed := range uint64(instances) {
				jobs := crowded(load, powers, seed)
				r := clairvoyant(t, jobs, m, Options{Gap: 1e-4})
				u := must(Unpreempted(ctx, jobs, m, r))
				i := must(Indivisible(ctx, jobs, m, r))
				start := found(jobs, m)
				x := solved(jobs, m, u.Prices, start-1e-9)
				if x.steps < 0 {
					continue
				}
				if want := x.best; u.Bound*slack < want || i.Bound*slack < want {
					t.Errorf("best schedule %g, unpreempted %g, indivisible %g", want, u.Bound, i.Bound)
				}
				count++
				clair, whole = clair+r.Bound/x.best-1, whole+i.Bound/x.best-1
				once, below = once+u.Bound/x.best-1, below+1-start/x.best
			}
			t.Logf("powers of two %v, load %g: %g of %d solved; above the best: clairvoyant %.1f %%, indivisible %.1f %%, unpreempted %.1f %%; schedule found %.1f %% below",
				powers, load, count, instances, 100*clair/count, 100*whole/count, 100*once/count, 100*below/count)
		}
	}
}

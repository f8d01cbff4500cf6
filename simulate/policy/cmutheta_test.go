package policy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// abandonment is a queue of n servers and two classes with exponential lengths of mean 1 and
// exponential patience. Waiting costs c per job and second.
type abandonment struct {
	n           int
	rate        float64 // of each class
	cost, theta [2]float64
}

// optimum returns the mean cost per second by value iteration, over the queues of both classes
// while all servers are busy, and the number of busy ones otherwise. First is the class that
// comes first, -1: the better one in every state.
func (a abandonment) optimum(first int) float64 {
	most := 2*a.n + 12
	step := 1 / (2*a.rate + float64(a.n) + float64(most)*(a.theta[0]+a.theta[1]))
	at := func(q, r int) int { return a.n + q*(most+1) + r } // below n: so many are busy, none waits
	h, next := make([]float64, at(most, most)+1), make([]float64, at(most, most)+1)
	served := func(q, r int) float64 { // a server has become free
		switch {
		case q+r == 0:
			return h[a.n-1]
		case r == 0 || q > 0 && first == 0:
			return h[at(q-1, r)]
		case q == 0 || first == 1:
			return h[at(q, r-1)]
		}
		return math.Min(h[at(q-1, r)], h[at(q, r-1)])
	}
	for {
		for b := range a.n {
			up, down := b+1, max(b-1, 0) // of n busy servers, the queue is empty
			next[b] = h[b] + step*(2*a.rate*(h[up]-h[b])+float64(b)*(h[down]-h[b]))
		}
		for q := range most + 1 {
			for r := range most + 1 {
				i := at(q, r)
				x := a.cost[0]*float64(q) + a.cost[1]*float64(r)
				x += a.rate*(h[at(min(q+1, most), r)]-h[i]) + a.rate*(h[at(q, min(r+1, most))]-h[i])
				x += float64(a.n) * (served(q, r) - h[i])
				x += a.theta[0] * float64(q) * (h[at(max(q-1, 0), r)] - h[i])
				x += a.theta[1] * float64(r) * (h[at(q, max(r-1, 0))] - h[i])
				next[i] = h[i] + step*x
			}
		}
		low, high := math.Inf(1), math.Inf(-1)
		for i := range h {
			low, high = min(low, next[i]-h[i]), max(high, next[i]-h[i])
		}
		base := next[0]
		for i := range next {
			next[i] -= base
		}
		if h, next = next, h; high-low <= 1e-4*high {
			return (low + high) / 2 / step
		}
	}
}

// TestCMuThetaInOverload: at load 1.5 the gap between the c-mu/theta rule and the optimum of value
// iteration falls as the number of servers grows, while that of the c-mu rule, which has the other
// order, rises. The simulated policy costs what the iteration says of its order.
func TestCMuThetaInOverload(t *testing.T) {
	model := abandonment{cost: [2]float64{1, 3.6}, theta: [2]float64{0.5, 2}}
	last, c := math.Inf(1), -1.0
	for _, n := range []int{2, 4, 8, 16} {
		model.n, model.rate = n, 0.75*float64(n)
		best, rule, other := model.optimum(-1), model.optimum(0), model.optimum(1)
		gap := rule/best - 1
		t.Logf("%d servers: best %.4f, c-mu/theta %.4f (gap %.2g), c-mu %.4f", n, best, rule, gap, other)
		if !(gap > 0 && gap < last && other/best-1 > c) {
			t.Errorf("%d servers: best %g, c-mu/theta %g, c-mu %g; gap before %g", n, best, rule, other, last)
		}
		last, c = gap, other/best-1
	}
	if last > 0.001 || c < 0.04 {
		t.Errorf("gap of %g, c-mu %g", last, c)
	}

	const horizon, runs = 2000.0, 8
	model.n, model.rate = 3, 2.25
	var all []float64
	for run := range uint64(runs) {
		rnd := rand.New(rand.NewPCG(34, run))
		var jobs []simulate.Job
		for class, theta := range model.theta {
			for at := rnd.ExpFloat64() / model.rate; at < horizon; at += rnd.ExpFloat64() / model.rate {
				j := plain(at, rnd.ExpFloat64(), 1)
				j.Class, j.Patience = class, rnd.ExpFloat64()/theta
				j.Value, j.Expire = simulate.Value{Decay: model.cost[class], Floor: math.Inf(1)}, at+j.Patience
				jobs = append(jobs, j)
			}
		}
		slices.SortFunc(jobs, func(a, b simulate.Job) int { return int(math.Copysign(1, a.Submit-b.Submit)) })
		spec := must(policy.Lookup(policy.Standard(), "cmu-theta"))
		context := policy.Context{Processors: []int{3}, Patience: []float64{1 / model.theta[0], 1 / model.theta[1]}}
		site := simulate.Site{Processors: 3, Policy: must(spec.Together(nil, context))[0]}
		sum := 0.0
		for i, e := range audited(t, simulate.Config{Sites: []simulate.Site{site}, Charging: simulate.ByValue}, jobs) {
			left := e.at
			if e.wasAccepted {
				left = e.start
			}
			sum += model.cost[jobs[i].Class] * (left - jobs[i].Submit) / horizon
		}
		all = append(all, sum)
	}
	mean, spread, want := 0.0, 0.0, model.optimum(0)
	for _, x := range all {
		mean += x / runs
	}
	for _, x := range all {
		spread += (x - mean) * (x - mean) / runs / (runs - 1)
	}
	if e := math.Sqrt(spread); math.Abs(mean-want) > 4*e || e > 0.03*want {
		t.Errorf("simulated cost %.4f ± %.4f, want %.4f", mean, e, want)
	}
}

// TestFluidIndexByHand: one server ends its job 2 s after the start. A waits in its grace, with
// price 10 and patience 1000, B beyond it, with price 5, decay 0.04 and patience 100; both take
// 10 s. In overload A is worth 10/10 per second, B 4.98/10 + 0.04 · 100/10 = 0.898, so that A is
// first. In underload A loses 10/1000 per second of waiting, B 0.04 + 4.98/100. The static
// index puts A first in either case: 0.1 · 1000/10 + 1 > 0.04 · 100/10 + 0.5.
func TestFluidIndexByHand(t *testing.T) {
	for _, c := range []struct {
		name  string
		begin float64
		first int
	}{{"fluid-index", 0, 1}, {"fluid-index", 1000, 2}, {"cmu-theta", 0, 1}, {"cmu-theta", 1000, 1}} {
		jobs := []simulate.Job{plain(c.begin, 2, 1), plain(c.begin+1, 10, 1), plain(c.begin+1.5, 10, 1)}
		for i := range jobs {
			jobs[i].Class, jobs[i].Value.Price = i, 0
		}
		jobs[1].Value = simulate.Value{Price: 10, Due: 110, Decay: 0.1, Floor: math.Inf(1)}
		jobs[2].Value = simulate.Value{Price: 5, Due: 10, Decay: 0.04, Floor: math.Inf(1)}
		spec := must(policy.Lookup(policy.Standard(), c.name))
		context := policy.Context{Processors: []int{1}, Patience: []float64{0, 1000, 100}}
		site := simulate.Site{Processors: 1, Policy: must(spec.Together(nil, context))[0]}
		got := audited(t, simulate.Config{Sites: []simulate.Site{site}, Charging: simulate.ByValue}, jobs)
		if got[c.first].start != c.begin+2 {
			t.Errorf("%s from %g on: jobs start at %g and %g", c.name, c.begin, got[1].start, got[2].start)
		}
	}
}

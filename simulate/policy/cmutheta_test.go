package policy_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// abandonment is a queue of n servers and two classes with exponential lengths and patience, as
// rates. Waiting costs c per job and second.
type abandonment struct {
	n                     int
	rate, mu, theta, cost [2]float64
}

// drawn returns a random queue: a load of 1.5 to 3, of which a class has a quarter to three quarters,
// mean lengths of 1/2 to 2. The second class loses patience 2 to 8 times as fast, and its index
// c-mu/theta is up to 20 % lower, so that by c-mu it would be first.
func drawn(rnd *rand.Rand, n int) (a abandonment) {
	load, share := 1.5+1.5*rnd.Float64(), 0.25+0.5*rnd.Float64()
	for i, part := range []float64{share, 1 - share} {
		a.mu[i] = 0.5 * math.Pow(4, rnd.Float64())
		a.rate[i] = load * part * a.mu[i] * float64(n)
	}
	a.theta[0] = 0.5 + 0.5*rnd.Float64()
	a.theta[1] = a.theta[0] * (2 + 6*rnd.Float64())
	a.n, a.cost[0] = n, a.theta[0]/a.mu[0]
	a.cost[1] = (0.8 + 0.2*rnd.Float64()) * a.theta[1] / a.mu[1]
	return a
}

// optimum returns the mean cost per second by value iteration, over the jobs of class 0 in service and
// both queues, or the jobs in service of both classes while a server is idle. First is the class that
// comes first, -1: the better one in every state. A queue is at most that of a class that is never
// served, Poisson with mean rate/theta, so that states beyond five deviations are left out.
func (a abandonment) optimum(first int) float64 {
	most, n := [2]int{}, float64(a.n)
	total := a.rate[0] + a.rate[1] + n*max(a.mu[0], a.mu[1])
	for i := range most {
		mean := a.rate[i] / a.theta[i]
		most[i] = int(mean+5*math.Sqrt(mean)) + 4
		total += float64(most[i]) * a.theta[i]
	}
	idle := func(b, c int) int { return b*a.n + c }
	at := func(b, q, r int) int { return a.n*a.n + (b*(most[0]+1)+q)*(most[1]+1) + r }
	h := make([]float64, at(a.n, most[0], most[1])+1)
	next := make([]float64, len(h))
	started := func(b, c int) float64 { // so many jobs are in service, and none waits
		if b+c < a.n {
			return h[idle(b, c)]
		}
		return h[at(b, 0, 0)]
	}
	served := func(b, q, r int) float64 { // one server has become free, b others serve class 0
		switch {
		case q+r == 0:
			return h[idle(b, a.n-1-b)]
		case r == 0 || q > 0 && first == 0:
			return h[at(b+1, q-1, r)]
		case q == 0 || first == 1:
			return h[at(b, q, r-1)]
		}
		return math.Min(h[at(b+1, q-1, r)], h[at(b, q, r-1)])
	}
	for {
		low, high := math.Inf(1), math.Inf(-1)
		set := func(i int, x float64) {
			next[i] = h[i] + x/total
			low, high = min(low, x), max(high, x)
		}
		for b := range a.n {
			for c := range a.n - b {
				now := h[idle(b, c)]
				x := a.rate[0]*(started(b+1, c)-now) + a.rate[1]*(started(b, c+1)-now)
				x += a.mu[0]*float64(b)*(h[idle(max(b-1, 0), c)]-now) + a.mu[1]*float64(c)*(h[idle(b, max(c-1, 0))]-now)
				set(idle(b, c), x)
			}
		}
		for b := range a.n + 1 {
			for q := range most[0] + 1 {
				for r := range most[1] + 1 {
					i, Q, R := at(b, q, r), float64(q), float64(r)
					now, x := h[i], a.cost[0]*Q+a.cost[1]*R
					x += a.rate[0]*(h[at(b, min(q+1, most[0]), r)]-now) + a.rate[1]*(h[at(b, q, min(r+1, most[1]))]-now)
					x += a.theta[0]*Q*(h[at(b, max(q-1, 0), r)]-now) + a.theta[1]*R*(h[at(b, q, max(r-1, 0))]-now)
					if b > 0 {
						x += a.mu[0] * float64(b) * (served(b-1, q, r) - now)
					}
					if b < a.n {
						x += a.mu[1] * float64(a.n-b) * (served(b, q, r) - now)
					}
					set(i, x)
				}
			}
		}
		if h, next = next, h; high-low <= 1e-5*high {
			return (low + high) / 2
		}
	}
}

// TestCMuThetaInOverload: over ten random queues at loads of 1.5 to 3, the mean relative gap between
// the c-mu/theta rule and the optimum of value iteration falls as the number of servers grows, while
// that of the c-mu rule, which has the other order, rises. (At 8 servers the gap is below 1e-5 for
// each queue, and so it is at any number if indices are not alike.) The simulated policy costs what
// the iteration says of its order.
func TestCMuThetaInOverload(t *testing.T) {
	const sets = 10
	last, before := math.Inf(1), 0.0
	for _, n := range []int{1, 2, 4} {
		gap, other := 0.0, 0.0
		for set := range uint64(sets) {
			a := drawn(rand.New(rand.NewPCG(34, set)), n)
			best := a.optimum(-1)
			gap += (a.optimum(0)/best - 1) / sets
			other += (a.optimum(1)/best - 1) / sets
		}
		if t.Logf("%d servers: mean gap %.2g, of c-mu %.2g", n, gap, other); gap > last || other < before {
			t.Errorf("%d servers: mean gap %g, before %g; of c-mu %g, before %g", n, gap, last, other, before)
		}
		last, before = gap, other
	}
	if last > 0.001 || before < 10*last {
		t.Errorf("mean gap of %g, of c-mu %g", last, before)
	}

	const horizon, runs = 2000.0, 8
	model := drawn(rand.New(rand.NewPCG(34, 0)), 3)
	var all []float64
	for run := range uint64(runs) {
		rnd := rand.New(rand.NewPCG(34, run))
		var jobs []simulate.Job
		for class, theta := range model.theta {
			for at := rnd.ExpFloat64() / model.rate[class]; at < horizon; at += rnd.ExpFloat64() / model.rate[class] {
				j := plain(at, rnd.ExpFloat64()/model.mu[class], 1)
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

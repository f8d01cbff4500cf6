package control_test

import (
	"context"
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"

	"revopt/model"
	"revopt/optimize"
	"revopt/optimize/control"
)

// frequencies returns the stationary frequencies of a Markov chain from its rates, by the
// elimination of Grassmann, Taksar and Heyman, which never subtracts.
func frequencies(rates [][]float64) []float64 {
	n := len(rates)
	for s := n - 1; s > 0; s-- {
		out := floats.Sum(rates[s][:s])
		for from := range s {
			share := rates[from][s] / out
			rates[from][s] = share
			if share > 0 {
				floats.AddScaled(rates[from][:s], share, rates[s][:s])
			}
		}
	}
	pi := make([]float64, n)
	pi[0] = 1
	for s := 1; s < n; s++ {
		for from, p := range pi[:s] {
			pi[s] += p * rates[from][s]
		}
		floats.Scale(1/floats.Sum(pi), pi) // the frequencies of a long queue exceed the range of numbers
	}
	return pi
}

// chained returns the revenue of a rule with limits from the whole Markov chain of urgent
// and other jobs waiting, one for each place of the service order, with the frequency of
// every state.
func chained(sys model.System, s control.Settings, r control.Rule) float64 {
	servers, pace := 1, sys.Parallel/sys.Classes[0].Length.Mean()
	if s.Servers {
		servers, pace = int(sys.Parallel), 1/sys.Classes[0].Length.Mean()
	}
	most := 0
	for _, k := range r.Waiting {
		most = max(most, k)
	}
	order := model.ServiceOrder(sys.Classes)
	state := func(urgent, other int) int { t := urgent + other; return servers + t*(t+1)/2 + urgent }
	value, last := 0.0, 0.0
	for p, class := range order {
		admitted := func(waiting int) (urgent, other float64) {
			for q, i := range order {
				switch rate := sys.Classes[i].Rate * r.Share[i]; {
				case waiting >= r.Waiting[i]:
				case q >= p:
					urgent += rate
				default:
					other += rate
				}
			}
			return urgent, other
		}
		rates := make([][]float64, servers+(most+1)*(most+2)/2)
		for i := range rates {
			rates[i] = make([]float64, len(rates))
		}
		urgent, other := admitted(0)
		for busy := range servers {
			rates[busy][busy+1] = urgent + other
			rates[busy+1][busy] = float64(busy+1) * pace
		}
		for t := 0; t <= most; t++ {
			urgent, other := admitted(t)
			for j := 0; j <= t; j++ {
				from := rates[state(j, t-j)]
				if t < most {
					from[state(j+1, t-j)], from[state(j, t-j+1)] = urgent, other
				}
				switch {
				case j > 0:
					from[state(j-1, t-j)] = pace * float64(servers)
				case t > 0:
					from[state(0, t-1)] = pace * float64(servers)
				}
			}
		}
		pi := frequencies(rates)
		let, number := 0.0, 0.0
		if r.Waiting[class] > 0 {
			let = floats.Sum(pi[:servers])
		}
		for t := 0; t <= most; t++ {
			for j := 0; j <= t; j++ {
				number += float64(j) * pi[state(j, t-j)]
				if t < r.Waiting[class] {
					let += pi[state(j, t-j)]
				}
			}
		}
		c := sys.Classes[class]
		value += c.MeanPrice()*c.Rate*r.Share[class]*let - (c.MeanDecay()-last)*number
		last = c.MeanDecay()
	}
	return value
}

// overload returns two to four classes of one mean length that arrive up to eight times as
// fast as they can be served. Some decay slowly, or never.
func overload(rnd *rand.Rand) (model.System, control.Settings) {
	load, servers, mean := 1+7*rnd.Float64(), 1+rnd.IntN(8), math.Exp(8*rnd.Float64())
	n := 2 + rnd.IntN(3)
	classes := make([][4]float64, n)
	for i := range classes {
		price := math.Exp(3 * rnd.Float64())
		decay := price / mean * math.Exp(1-7*rnd.Float64())
		if i == n-1 {
			decay *= []float64{1, 0, 1e-3, 1e-6}[rnd.IntN(4)]
		}
		classes[i] = [4]float64{load * float64(servers) / mean / float64(n) * (0.5 + rnd.Float64()), mean, price, decay}
	}
	return markov(float64(servers), classes...), control.Settings{Waiting: -1, Servers: rnd.IntN(2) == 1}
}

// TestRuleInOverload holds the revenue of rules in overload, where the frequencies of the
// numbers waiting differ by more than the precision of numbers, against whole chains.
func TestRuleInOverload(t *testing.T) {
	rnd := rand.New(rand.NewPCG(59, 1))
	for range 30 {
		sys, s := overload(rnd)
		r := control.Rule{}
		for range sys.Classes {
			r.Share = append(r.Share, 1-rnd.Float64())
			r.Waiting = append(r.Waiting, []int{0, 1, 4, 12, 25}[rnd.IntN(5)])
		}
		got, want := ruleRevenue(t, sys, s, r), chained(sys, s, r)
		if math.Abs(got-want) > 1e-10*(math.Abs(want)+sys.Load()) {
			t.Errorf("load %.3g, %+v: got %.12g, want %.12g", sys.Load(), r, got, want)
		}
	}
}

// TestThresholdsInOverload holds the best rules in overload, with a class that decays
// slowly or never, between the best of a few limits and what the servers can earn.
func TestThresholdsInOverload(t *testing.T) {
	for _, decay := range []float64{1e-2, 1e-3, 1e-6, 0} {
		sys := markov(1, [4]float64{3, 1, 1, decay}, [4]float64{3, 1, 2, 0.1})
		s := control.Settings{Waiting: -1}
		best := must(control.Thresholds(context.Background(), sys, s))
		if fluid := must(optimize.Fluid(sys)); best.Revenue > fluid*(1+1e-12) {
			t.Errorf("decay %g, %+v: %g $/s of at most %g", decay, best.Rule, best.Revenue, fluid)
		}
		for _, limit := range []int{1, 2, 5, 10} {
			r := control.Rule{Share: []float64{1, 1}, Waiting: []int{limit, limit}}
			if value := chained(sys, s, r); best.Revenue < value*(1-1e-9) {
				t.Errorf("decay %g, %+v: %g $/s, and %+v earns %g", decay, best.Rule, best.Revenue, r, value)
			}
		}
	}
}

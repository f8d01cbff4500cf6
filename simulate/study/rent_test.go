package study

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/metric"
)

// rentable is a class of jobs of exponential lengths, as the tests compute with it.
type rentable struct{ rate, length, width, price, decay, grace float64 }

// rentScenario returns the scenario of some classes on 20 units with rent.
func rentScenario(classes []rentable, r model.Rent, residual string) string {
	s := fmt.Sprintf("server: {nodes: 20, residual: %s}\nmachine: {rent: {price: %.17g, startup: %.17g, minimum: %.17g}}\nclasses:\n",
		residual, 3600*r.Price, r.Startup, r.Minimum)
	for i, c := range classes {
		s += fmt.Sprintf("  - {name: c%d, rate: %.17g, length: {dist: exponential, mean: %.17g}, width: %g, "+
			"price: %.17g, decay: %.17g, grace: %.17g}\n", i, c.rate, c.length, c.width, c.price, c.decay, c.grace)
	}
	return s
}

// outside returns what a refused job of the class earns on rented units.
func (c rentable) outside(r model.Rent) float64 {
	idle := math.Max(0, r.Minimum-r.Startup)
	paid := r.Startup + idle + c.length*math.Exp(-idle/c.length)
	return math.Max(0, c.price-c.decay*math.Max(0, r.Startup-c.grace)-r.Price*c.width*paid)
}

// earns returns the revenue of an admission to one fast server: the jobs that it serves, by
// urgency, and refused ones on rented units.
func earns(classes []rentable, r model.Rent, q []float64) float64 {
	var work, wide float64
	for _, c := range classes {
		work, wide = work+c.rate*c.length, wide+c.rate*c.length*c.width
	}
	n := 20 * work / wide // jobs at a time
	var residual float64
	for i, c := range classes {
		residual += q[i] * c.rate * c.length * c.length / (n * n) // E[X^2]/2 of exponential lengths
	}
	var sum float64
	for i, c := range classes {
		above, upTo := 1.0, 1-q[i]*c.rate*c.length/n
		for k, d := range classes {
			if u, v := d.decay/d.length, c.decay/c.length; u > v || u == v && k > i {
				above -= q[k] * d.rate * d.length / n
				upTo -= q[k] * d.rate * d.length / n
			}
		}
		if upTo <= 0 {
			return math.Inf(-1)
		}
		wait := residual / above / upTo
		sum += c.rate * (q[i]*(c.price-c.decay*math.Max(0, wait-c.grace)) + (1-q[i])*c.outside(r))
	}
	return sum
}

// brute returns the most that any admission earns, by grids around the best points of coarser ones.
func brute(classes []rentable, r model.Rent) float64 {
	type point struct {
		q []float64
		r float64
	}
	const steps = 20
	grid := func(center []float64, half float64) (list []point) {
		q := make([]float64, len(classes))
		var walk func(i int)
		walk = func(i int) {
			if i == len(q) {
				list = append(list, point{slices.Clone(q), earns(classes, r, q)})
				return
			}
			for k := range steps + 1 {
				q[i] = math.Min(1, math.Max(0, center[i]+half*(2*float64(k)/steps-1)))
				walk(i + 1)
			}
		}
		walk(0)
		slices.SortFunc(list, func(a, b point) int { return int(math.Copysign(1, b.r-a.r)) })
		return list
	}
	top := grid(slices.Repeat([]float64{0.5}, len(classes)), 0.5)[:8]
	for half := 0.1; half > 1e-6; half /= 3 {
		var next []point
		for _, p := range top {
			next = append(next, grid(p.q, half)[0])
		}
		top = next
	}
	return slices.MaxFunc(top, func(a, b point) int { return int(math.Copysign(1, a.r-b.r)) }).r
}

func solvedRent(t *testing.T, text string, o SolveOptions, set ...scenario.Override) *Answer {
	t.Helper()
	a, err := Analyze(context.Background(), opened(t, text, set...), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := Solve(context.Background(), a, o)
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// TestRentFormula compares solve with brute force on random mixes of classes.
func TestRentFormula(t *testing.T) {
	rnd := rand.New(rand.NewPCG(34, 1))
	rents := 0
	for range 25 {
		var classes []rentable
		for range 1 + rnd.IntN(2) {
			c := rentable{rate: 0.1 * rnd.Float64(), length: 100 + 1000*rnd.Float64(), width: float64(1 + rnd.IntN(3))}
			c.price = c.length * c.width * rnd.Float64() / 100
			c.decay, c.grace = c.price/c.length*rnd.Float64(), 100*float64(rnd.IntN(2))
			classes = append(classes, c)
		}
		r := model.Rent{Price: 0.004 * rnd.Float64(), Startup: 60 * rnd.Float64(), Minimum: 600 * float64(rnd.IntN(2))}
		got := solvedRent(t, rentScenario(classes, r, "pooled"), SolveOptions{Gap: 1e-9})
		want := brute(classes, r)
		if x := float64(got.RevenuePerSecond); math.Abs(x-want) > 1e-6*want || want > float64(got.UpperBoundPerSecond)*(1+1e-9) {
			t.Errorf("got %g to %g, want %g: %+v, %+v", x, got.UpperBoundPerSecond, want, classes, r)
		}
		var sum, paid, worth float64
		for i, c := range got.Classes {
			sum += float64(c.RevenuePerSecond)
			if o := classes[i].outside(r); o > 0 {
				paid += float64(c.RentedRate) * got.System.Classes[i].Outside.Rent
				worth += (classes[i].rate - float64(c.AdmittedRate)) * o
			}
		}
		if math.Abs(sum-want) > 2e-6*want || math.Abs(paid-float64(got.Rent.PaidPerSecond)) > 1e-12 ||
			math.Abs(worth-float64(got.Rent.RevenuePerSecond)) > 1e-9 {
			t.Errorf("classes earn %g, want %g; rent %+v, want %g and %g", sum, want, got.Rent, paid, worth)
		}
		without := brute(classes, model.Rent{Price: math.MaxFloat64})
		if math.Abs(float64(got.Rent.Gain)-(want-without)) > 2e-6*want {
			t.Errorf("gain %g, want %g", got.Rent.Gain, want-without)
		}
		if worth > 0 {
			rents++
		}
	}
	if rents < 8 {
		t.Errorf("rent matters in %d mixes", rents)
	}
}

// TestRentExtremes checks every method: with free rented units without a startup all jobs are
// worth their price there, and rent above the value changes nothing, to the bit. Between the two,
// the revenue is that of the admission at the stated prices, plus that of the refused jobs.
func TestRentExtremes(t *testing.T) {
	classes := []rentable{
		{rate: 0.01, length: 900, width: 1, price: 9, decay: 0.01}, {rate: 0.02, length: 600, width: 1, price: 2, decay: 0.001},
	}
	off := scenario.Override{Path: "machine.rent", Value: "off"}
	for _, residual := range []string{"pooled", "printed", "multiserver"} {
		for _, o := range []SolveOptions{{}, {Method: optimize.MethodCG}, {Exact: true}, {Control: ControlThreshold},
			{Control: ControlState, Gap: 1e-3}} {
			if residual != "pooled" && o.Control != "" {
				continue
			}
			free := solvedRent(t, rentScenario(classes, model.Rent{}, residual), o)
			const all = 0.01*9 + 0.02*2
			if math.Abs(float64(free.RevenuePerSecond)-all) > 1e-12 || free.Classes[0].RentedRate != 0.01 ||
				o.Control != "" && math.Abs(float64(free.Control.RevenuePerSecond)-all) > 1e-12 {
				t.Errorf("%s, %+v: free units: %+v", residual, o, free.Solution)
			}
			dear := rentScenario(classes, model.Rent{Price: 0.01}, residual)
			got, want := solvedRent(t, dear, o), solvedRent(t, dear, o, off)
			if *got.Rent != (RentAnswer{}) || want.Rent != nil {
				t.Errorf("%s, %+v: dear units: %+v, %+v", residual, o, got.Rent, want.Rent)
			}
			got.Rent = nil
			a, _ := json.Marshal(got)
			b, _ := json.Marshal(want)
			if string(a) != string(b) {
				t.Errorf("%s, %+v: dear units: %s, without %s", residual, o, a, b)
			}
			r := model.Rent{Price: 0.001, Startup: 120, Minimum: 900}
			some := solvedRent(t, rentScenario(classes, r, residual), o)
			if o.Exact || o.Control != "" {
				if some.RevenuePerSecond < want.RevenuePerSecond || !(some.Rent.Gain > 0) ||
					o.Control != "" && some.Control.RevenuePerSecond < some.RevenuePerSecond*(1-1e-6) {
					t.Errorf("%s, %+v: %+v", residual, o, some.Solution)
				}
				continue
			}
			hol, err := model.NewHOL(want.System)
			if err != nil {
				t.Fatal(err)
			}
			sum := hol.Revenue(some.Admit())
			for i, c := range some.Classes {
				sum += (1 - float64(c.Admit)) * classes[i].rate * classes[i].outside(r)
			}
			if x := float64(some.RevenuePerSecond); math.Abs(x-sum) > 1e-9*sum || !(some.Rent.PaidPerSecond > 0) {
				t.Errorf("%s, %+v: earns %g, want %g; %+v", residual, o, x, sum, some.Rent)
			}
		}
	}
}

// TestRentControl compares the best admission by the state with all limits on the number of jobs
// on one server (M/M/1/K), whose refused jobs are rented.
func TestRentControl(t *testing.T) {
	c := rentable{rate: 0.019, length: 1000, width: 1, price: 5, decay: 0.02}
	for _, r := range []model.Rent{{Price: 0.001}, {Price: 0.004}, {Price: 0.0049, Startup: 1}} {
		service, best := 20/c.length, 0.0
		for k := range 200 {
			var sum, lost, waiting, p float64
			p = 1
			for n := range k + 1 {
				sum, lost, waiting = sum+p, p, waiting+p*math.Max(0, float64(n-1))
				p *= c.rate / service
			}
			x := c.rate*(c.price*(1-lost/sum)+c.outside(r)*lost/sum) - c.decay*waiting/sum
			best = math.Max(best, x)
		}
		got := solvedRent(t, rentScenario([]rentable{c}, r, "pooled"), SolveOptions{Control: ControlState, Gap: 1e-8}).Control
		if x := float64(got.RevenuePerSecond); math.Abs(x-best) > 1e-6*best || best > float64(got.UpperBoundPerSecond)*(1+1e-9) {
			t.Errorf("%+v: got %g to %g, want %g", r, x, got.UpperBoundPerSecond, best)
		}
	}
}

// TestRentSimulated compares a simulated lottery on one server, whose refused jobs are sent to
// rented units, with the formula. All jobs are worth more than their rent, and waiting costs less,
// so that all refused jobs and no others are sent.
func TestRentSimulated(t *testing.T) {
	s := opened(t, `server: {nodes: 1, residual: pooled}
machine: {rent: {price: 14.4}}
simulation: {jobs: 20000}
classes:
  - {name: a, rate: 0.0006, length: {dist: exponential, mean: 15m}, price: {per_hour: 36}, decay: 1e-6}
  - {name: b, rate: 0.0005, length: {dist: exponential, mean: 25m}, price: {per_hour: 24}, decay: 1e-7}
`)
	a, err := Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	admit := []float64{0.8, 0.3}
	hol, err := model.NewHOL(a.System)
	if err != nil {
		t.Fatal(err)
	}
	want := hol.Revenue(admit) + a.System.Outside()
	got := sampled(t, s, func(p *Plan) { p.Replications = 6 }, beside(t, "hol", nil, admit)).Row(0, 0)
	if earned := got.Interval(metric.RevenuePerSecond(), -1); math.Abs(earned.Mean-want) > 0.01*want {
		t.Errorf("simulated %+v, by formula %g", earned, want)
	}
}

package solve

import (
	"context"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/analytic"
)

func solvedRent(t *testing.T, text string, o Options, set ...scenario.Override) *Answer {
	t.Helper()
	a, err := analytic.Analyze(context.Background(), fixture.Opened(t, text, set...), 1, 0)
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
		got := solvedRent(t, rentScenario(classes, r, "pooled"), Options{Gap: 1e-9})
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
		for _, o := range []Options{{}, {Method: optimize.MethodCG}, {Exact: true}, {Control: analytic.ControlThreshold},
			{Control: analytic.ControlState, Gap: 1e-3}} {
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
			if *got.Rent != (analytic.RentAnswer{}) || want.Rent != nil {
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
		got := solvedRent(t, rentScenario([]rentable{c}, r, "pooled"), Options{Control: analytic.ControlState, Gap: 1e-8}).Control
		if x := float64(got.RevenuePerSecond); math.Abs(x-best) > 1e-6*best || best > float64(got.UpperBoundPerSecond)*(1+1e-9) {
			t.Errorf("%+v: got %g to %g, want %g", r, x, got.UpperBoundPerSecond, best)
		}
	}
}

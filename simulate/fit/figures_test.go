package fit

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
)

// arrivals returns jobs at the times of which the gaps are drawn.
func arrivalsOf(n int, gap func() float64) []job {
	jobs := make([]job, n)
	for i := 1; i < n; i++ {
		jobs[i].submit = jobs[i-1].submit + gap()
	}
	return jobs
}

// TestArrivalFigures against what is known of the processes.
func TestArrivalFigures(t *testing.T) {
	rnd := rand.New(rand.NewPCG(3, 4))
	const n, hour = 200_000, 3600.
	poisson := newArrivals(arrivalsOf(n, func() float64 { return rnd.ExpFloat64() * 60 }), 24*hour)
	for _, d := range poisson.Dispersion {
		if noise := 5 * math.Sqrt(2/float64(d.Windows)); math.Abs(d.Index-1) > noise {
			t.Errorf("Poisson: dispersion by %s is %g, want 1 within %g", d.Name, d.Index, noise)
		}
	}
	if math.Abs(poisson.SCV-1) > 0.05 || poisson.Daily > 10/math.Sqrt(n) {
		t.Errorf("Poisson: %+v", poisson)
	}
	// Batches of 5: counts vary 5 times as much.
	k := 0
	batches := newArrivals(arrivalsOf(n, func() float64 {
		if k++; k%5 != 0 {
			return 0
		}
		return rnd.ExpFloat64() * 300
	}), 24*hour)
	if d := batches.Dispersion[0]; math.Abs(d.Index-5) > 25*math.Sqrt(2/float64(d.Windows)) {
		t.Errorf("batches of 5: dispersion %g", d.Index)
	}
	// Gaps of 1 and 3 in turn: SCV 1/4.
	k = 0
	turns := newArrivals(arrivalsOf(1001, func() float64 { k++; return float64(1 + k%2*2) }), 100)
	if math.Abs(turns.SCV-0.25) > 1e-9 {
		t.Errorf("turns: SCV %g", turns.SCV)
	}
	// A rate of 1 + 0.6 cos by thinning.
	at, last := 0.0, 0.0
	daily := newArrivals(arrivalsOf(50_000, func() float64 {
		for {
			at += rnd.ExpFloat64() * 60
			if rnd.Float64()*1.6 < 1+0.6*math.Cos(2*math.Pi*at/(24*hour)) {
				gap := at - last
				last = at
				return gap
			}
		}
	}), 24*hour)
	if math.Abs(daily.Daily-0.6) > 0.03 || daily.DailyP > 1e-9 || daily.Weekly > 0.05 {
		t.Errorf("cycle of 0.6: %+v", daily)
	}
}

// TestDistance by hand: F_n steps at 1, 2 (twice) and 4 against x/4.
func TestDistance(t *testing.T) {
	uniform := func(x float64) float64 { return math.Min(x/4, 1) }
	if got := distance([]float64{1, 2, 2, 4}, uniform); math.Abs(got-0.25) > 1e-6 {
		t.Errorf("got %g, want 0.25", got)
	}
	large := make([]float64, 100_003)
	for i := range large {
		large[i] = 4 * float64(i/1000) / 100
	}
	exact := 0.01 // whole thousands share a value
	if got := distance(large, uniform); math.Abs(got-exact) > 1e-3 {
		t.Errorf("got %g, want %g", got, exact)
	}
	always, err := model.New(model.Deterministic, 7, 0, 0)
	if err != nil {
		t.Fatal(err)
	}
	if got := distance([]float64{7, 7, 7}, always.CDF); got != 0 {
		t.Errorf("an atom is %g away from itself", got)
	}
}

// TestWidths: weights sum to 1, and joined widths keep their mean.
func TestWidths(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	for _, most := range []int{1, 3, 16, 17, 128, 100_000} {
		var all []job
		var places []int32
		var nodes, seconds float64
		for i := range 4000 {
			j := job{width: int32(1 + rnd.IntN(most)), length: rnd.ExpFloat64() * 100}
			all, places = append(all, j), append(places, int32(i))
			nodes, seconds = nodes+j.work(), seconds+j.length
		}
		w := weightedWidths(all, places)
		var sum float64
		for i, x := range w.Weights {
			sum += x
			if v := w.Values[i]; v != math.Trunc(v) || v < 1 || v > float64(most) || x <= 0 {
				t.Errorf("up to %d: width %g of weight %g", most, v, x)
			}
		}
		if math.Abs(sum-1) > 1e-12 || math.Abs(w.Mean()/(nodes/seconds)-1) > 1e-4 || len(w.Values) > 34 {
			t.Errorf("up to %d: weights sum to %g, mean %g, want %g, %d values", most, sum, w.Mean(), nodes/seconds, len(w.Values))
		}
	}
}

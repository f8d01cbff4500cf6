package optimize_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// wander improves q by random steps of shrinking size and returns its revenue:
// a slow search that shares nothing with the solvers.
func wander(t *testing.T, sys model.System, q []float64, rnd *rand.Rand) float64 {
	t.Helper()
	h := newHOL(t, sys)
	best := h.Revenue(q)
	trial := make([]float64, len(q))
	for k := range 4000 {
		size := math.Exp(-12 * float64(k%1000) / 1000)
		for i, x := range q {
			trial[i] = x
			if rnd.IntN(2) == 0 {
				trial[i] = math.Min(1, math.Max(0, x+size*rnd.NormFloat64()))
			}
		}
		if h.Utilization(trial) > 1-1e-9 {
			continue
		}
		if r := h.Revenue(trial); r > best {
			best = r
			copy(q, trial)
		}
	}
	return best
}

// TestMultiserverIndependent holds optima that carry no proof against a
// search of another kind, from the optimum and from elsewhere.
func TestMultiserverIndependent(t *testing.T) {
	rnd := rand.New(rand.NewPCG(31, 1))
	for k := range 15 {
		sys := randomSystem(rnd, model.Multiserver, common(rnd))
		got := solved(t, sys)
		q := append([]float64(nil), got.Admit...)
		best := wander(t, sys, q, rnd)
		for range 3 {
			for i := range q {
				q[i] = rnd.Float64() * math.Min(1, 0.9/sys.Load())
			}
			best = math.Max(best, wander(t, sys, q, rnd))
		}
		if best > got.Revenue*(1+1e-6) {
			t.Errorf("system %d: %.10g earned, a random search finds %.10g", k, got.Revenue, best)
		}
		prices := shadowPrices(t, sys, got)
		for i, c := range sys.Classes {
			if d := prices.Demand[i]; d < 0 || d > c.MeanPrice() || got.Admit[i] < 0.999 && d != 0 {
				t.Errorf("system %d: demand of class %d is %g at price %g and admission %g", k, i, d, c.MeanPrice(), got.Admit[i])
			}
		}
	}
}

// TestShortAndLongGrace has a server without waiting: a class with a grace of a day must
// not smooth the kink of a class without a grace.
func TestShortAndLongGrace(t *testing.T) {
	length := normal(600, 100)
	for _, short := range []float64{0, 10} {
		sys := model.System{Parallel: 200, Phi: 1, Residual: model.Multiserver, Classes: []model.Class{
			{Length: length, Price: model.Tariff{Fixed: 2}, Decay: 0.1, Grace: model.Grace{Fixed: short}},
			{Length: length, Price: model.Tariff{Fixed: 20}, Decay: 0.1, Grace: model.Grace{Fixed: 86400}},
		}}
		arrive(&sys, 0.4, 0.9, 0.1)
		got := solved(t, sys)
		if got.Admit[0] != 1 || got.Admit[1] != 1 {
			t.Errorf("grace %g: admitted %v, want all", short, got.Admit)
		}
	}
}

// TestMultiserverUncertified: without a linear T0 there is no proof.
func TestMultiserverUncertified(t *testing.T) {
	sys := manyClasses(3, model.Multiserver)
	var refused *optimize.ResidualError
	_, err := optimize.Certified(context.Background(), sys, optimize.Settings{})
	if !errors.As(err, &refused) || refused.Residual != model.Multiserver {
		t.Errorf("got %v", err)
	}
	got := solved(t, sys)
	if got.Certified || !math.IsInf(got.UpperBound, 1) || !math.IsInf(got.Gap, 1) || got.Method != optimize.MethodCG {
		t.Errorf("%+v claims a proof", got)
	}
}

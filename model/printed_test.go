package model_test

import (
	"math"
	"slices"
	"testing"

	"revopt/model"
)

// byHand is (20) of Marbukh and Mills, and (28) and (30) with a grace, for classes that
// are served in an order, the last first: T0 by (17), waits by (16) with the
// utilizations of (19), and the loss of a wait from max(0, Φ T0 - grace) on.
func byHand(sys model.System, order []int, q []float64, grace bool) float64 {
	factor := make([]float64, len(order))
	var t0, sigma, sum float64
	for k := len(order) - 1; k >= 0; k-- {
		i := order[k]
		c := sys.Classes[i]
		above := sigma
		sigma += q[i] * c.Rate * c.Length.Mean() / sys.Parallel
		t0 += q[i] * c.Rate * c.Length.Moment(2) / 2
		factor[i] = 1 / ((1 - above) * (1 - sigma))
		if sigma >= 1 {
			factor[i] = math.Inf(1)
		}
	}
	for i, c := range sys.Classes {
		late := sys.Phi * t0
		if grace {
			late = max(0, late-c.MeanGrace())
		}
		sum += q[i] * c.Rate * (c.MeanPrice() - c.Decay*late*factor[i])
	}
	return sum
}

// printedSystem returns four classes of several lengths at a load of 0.98.
func printedSystem(t *testing.T, phi, grace float64) model.System {
	t.Helper()
	sys := model.System{Parallel: 25, Residual: model.Printed, Phi: phi}
	for i, mean := range []float64{9000, 1200, 4400, 700} {
		sys.Classes = append(sys.Classes, model.Class{
			Rate: 0.245 * sys.Parallel / mean, Length: length(model.Normal, mean, mean/3),
			Price: model.Tariff{Fixed: []float64{60000, 40000, 20000, 10000}[i]}, Decay: []float64{4, 4. / 3, 1, 0.25}[i],
			Grace: model.Grace{Fixed: grace},
		})
	}
	return sys
}

// TestPrintedRevenue: revenue by (20), (28) and (30) is the sum by hand.
func TestPrintedRevenue(t *testing.T) {
	for name, sys := range map[string]model.System{
		"(20)": printedSystem(t, 1, 0), "(28)": printedSystem(t, 1, 13200), "(30)": printedSystem(t, 0.56, 13200),
	} {
		for _, share := range []float64{1, 0.7, 0.3} {
			q := []float64{share / 2, share, share, share}
			got, want := hol(t, sys).Revenue(q), byHand(sys, model.ServiceOrder(sys.Classes), q, true)
			if math.Abs(got/want-1) > 1e-9 {
				t.Errorf("%s at %g: %.12g, by hand %.12g", name, q, got, want)
			}
		}
	}
}

// TestServiceOrder: of all orders, delay costs least in the one of (15).
func TestServiceOrder(t *testing.T) {
	sys := printedSystem(t, 1, 0)
	best, most := []int(nil), math.Inf(-1)
	var try func(order []int)
	try = func(order []int) {
		if len(order) == len(sys.Classes) {
			if r := byHand(sys, order, []float64{1, 1, 1, 1}, false); r > most {
				best, most = slices.Clone(order), r
			}
			return
		}
		for i := range sys.Classes {
			if !slices.Contains(order, i) {
				try(append(slices.Clip(order), i))
			}
		}
	}
	try(nil)
	if want := model.ServiceOrder(sys.Classes); !slices.Equal(best, want) {
		t.Errorf("best order %v, by (15) %v", best, want)
	}
}

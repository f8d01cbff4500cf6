//go:build long

package optimize_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// TestShadowPricesAgain compares prices with what is found by solving again with more and with less, for one server and
// many, with and without graces.
func TestShadowPricesAgain(t *testing.T) {
	rnd := rand.New(rand.NewPCG(59, 4))
	kinks := 0
	for k := range 100 {
		grace := func() float64 { return 0 }
		if k%2 == 0 {
			grace = func() float64 { return 1.5 * rnd.Float64() }
		}
		sys := randomSystem(rnd, []model.Residual{model.Pooled, model.Multiserver, model.Multiserver}[k%3], grace)
		if k%4 == 0 {
			for i := range sys.Classes {
				sys.Classes[i].Rate /= sys.Parallel
			}
			sys.Parallel = 1
		}
		revenue := func(change func(*model.System)) float64 {
			s := sys
			s.Classes = slices.Clone(sys.Classes)
			change(&s)
			return must(optimize.Solve(t.Context(), s, optimize.Settings{Gap: 1e-8})).Revenue
		}
		base := revenue(func(*model.System) {})
		p := shadowPrices(t, sys, must(optimize.Solve(t.Context(), sys, optimize.Settings{})))
		check := func(what string, got, want, scale float64) {
			if math.Abs(got-want) > 0.02*math.Max(math.Abs(want), 1e-3*scale) {
				t.Errorf("system %d, %v, %g servers: %s is %.6g, solving again gives %.6g", k, sys.Residual, sys.Parallel, what, got, want)
			}
		}
		by := 1e-3 * sys.Parallel
		slot := base / sys.Parallel
		check("the next slot", p.Capacity, (revenue(func(s *model.System) { s.Parallel += by })-base)/by, slot)
		check("the last slot", p.Last, (base-revenue(func(s *model.System) { s.Parallel -= by }))/by, slot)
		if p.Last != p.Capacity {
			kinks++
		}
		i := rnd.IntN(len(sys.Classes))
		c := sys.Classes[i]
		more := revenue(func(s *model.System) { s.Classes[i].Rate *= 1 + 1e-3 })
		check("the next job", p.Demand[i], (more-base)/(1e-3*c.Rate), 10*c.MeanPrice())
	}
	t.Logf("%d kinks", kinks)
}

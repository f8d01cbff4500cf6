package optimize_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// randomSystem draws a system with unequal lengths, variances, prices and
// decays. grace returns the grace of a class, as a multiple of the scale on
// which delays lie.
func randomSystem(rnd *rand.Rand, convention model.Residual, grace func() float64) model.System {
	s := 2 + rnd.IntN(7)
	sys := model.System{Parallel: 1 + math.Floor(40*rnd.Float64()), Residual: convention, Phi: 1}
	if rnd.IntN(3) == 0 {
		sys.Phi = 0.4 + rnd.Float64()
	}
	shares := make([]float64, s)
	var total, scale float64
	kinds := []model.Kind{model.Gamma, model.Exponential, model.Deterministic, model.LogNormal}
	load := 0.2 + 1.5*rnd.Float64()
	lengths := make([]model.Distribution, s)
	for i := range shares {
		shares[i] = 0.05 + rnd.Float64()
		total += shares[i]
		mean := math.Exp(5 + 3*rnd.Float64())
		d, err := model.New(kinds[rnd.IntN(len(kinds))], mean, mean*(0.1+1.5*rnd.Float64()), 0)
		if err != nil {
			panic(err)
		}
		lengths[i] = d
	}
	for i := range shares {
		rate := load * shares[i] / total * sys.Parallel / lengths[i].Mean()
		scale += rate * lengths[i].Moment(2) / 2
		sys.Classes = append(sys.Classes, model.Class{Rate: rate, Length: lengths[i]})
	}
	if convention == model.Pooled {
		scale /= sys.Parallel * sys.Parallel
	}
	for i := range sys.Classes {
		c := &sys.Classes[i]
		price := math.Exp(3 * rnd.Float64())
		c.Price.Fixed = price * c.Length.Mean()
		// Worthless after one to a hundred times the delay scale.
		c.Decay = c.Price.Fixed / (scale * math.Exp(4.6*rnd.Float64()))
		if rnd.IntN(10) == 0 {
			c.Decay = 0
		}
		c.Grace.Fixed = grace() * scale
	}
	return sys
}

func common(rnd *rand.Rand) func() float64 {
	g := math.Trunc(2*rnd.Float64()) * 2 * rnd.Float64()
	return func() float64 { return g }
}

// TestRandomInstances holds the certified optimum against the best of 200
// local solves.
func TestRandomInstances(t *testing.T) {
	instances := 100
	if testing.Short() {
		instances = 20
	}
	for _, test := range []struct {
		name       string
		convention model.Residual
		grace      func(*rand.Rand) func() float64
		gap        float64
	}{
		{"printed, common grace", model.Printed, common, 1e-6},
		{"pooled, no grace", model.Pooled, func(*rand.Rand) func() float64 { return func() float64 { return 0 } }, 1e-6},
		{"printed, grace per class", model.Printed, func(r *rand.Rand) func() float64 { return func() float64 { return 1.5 * r.Float64() } }, 1e-6},
		{"pooled, common grace", model.Pooled, common, 1e-6},
		{"pooled, grace per class", model.Pooled, func(r *rand.Rand) func() float64 { return func() float64 { return 3 * r.Float64() } }, 1e-6},
	} {
		t.Run(test.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(7, 11))
			worst, nodes, solves, behind, over, most := 0.0, 0, 0, 0.0, 0, 0
			for k := range instances {
				sys := randomSystem(rnd, test.convention, test.grace(rnd))
				got, err := optimize.Certified(sys, optimize.Settings{})
				if err != nil {
					t.Fatal(err)
				}
				local, err := optimize.ConjugateGradient(sys, optimize.Settings{Starts: 200, Seed: uint64(k)})
				if err != nil {
					t.Fatal(err)
				}
				worst = math.Max(worst, got.Gap)
				nodes += got.Nodes
				solves += got.Solves
				most = max(most, got.Nodes)
				behind = math.Max(behind, local.Revenue/got.Revenue-1)
				if local.Revenue > got.UpperBound*(1+1e-12) {
					t.Errorf("instance %d: local optimum %.12g above the bound %.12g", k, local.Revenue, got.UpperBound)
				}
				if local.Revenue > got.Revenue*(1+1e-9) {
					t.Errorf("instance %d: certified %.12g below a local optimum %.12g (gap %.2g)", k, got.Revenue, local.Revenue, got.Gap)
				}
				if got.Gap > test.gap {
					over++
				}
			}
			if over > 0 {
				t.Errorf("%d of %d instances have a gap above %g", over, instances, test.gap)
			}
			t.Logf("worst gap %.2g, %d nodes (most %d), %d solves a instance; behind local by at most %.2g", worst, nodes/instances, most, solves/instances, behind)
		})
	}
}

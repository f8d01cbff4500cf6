package optimize_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"sort"
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
		d := must(model.New(kinds[rnd.IntN(len(kinds))], mean, mean*(0.1+1.5*rnd.Float64()), 0))
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
	// Jobs are worthless after a fiftieth to a hundred times the delay scale.
	// Where they all decay fast, local optima abound.
	fastest, spread := -4.0, 3.0
	if rnd.IntN(2) == 0 {
		fastest, spread = -1, 5.6
	}
	perSecond := rnd.IntN(2) == 0
	for i := range sys.Classes {
		c := &sys.Classes[i]
		c.Price.Fixed = 1000 * math.Exp(3*rnd.Float64())
		if perSecond {
			c.Price.Fixed *= c.Length.Mean() / 1000
		}
		c.Decay = c.Price.Fixed / (scale * math.Exp(fastest+spread*rnd.Float64()))
		if rnd.IntN(10) == 0 {
			c.Decay = 0
		}
		c.Grace.Fixed = grace() * scale
	}
	return sys
}

// common returns graces that are the same for all classes, or 0.
func common(rnd *rand.Rand) func() float64 {
	g := math.Trunc(2*rnd.Float64()) * 2 * rnd.Float64()
	return func() float64 { return g }
}

// wideSystem draws a system with loads from 0.5 to 6, 2 to 12 classes and decays
// over four orders of magnitude: around what delays cost, or so small or so
// large that hardly anything, or nearly all, is lost.
func wideSystem(rnd *rand.Rand, f family) model.System {
	n := 2 + rnd.IntN(11)
	sys := model.System{Parallel: 1 + math.Floor(40*rnd.Float64()), Residual: f.convention, Phi: 1}
	if rnd.IntN(3) == 0 {
		sys.Phi = 0.4 + rnd.Float64()
	}
	kinds := []model.Kind{model.Gamma, model.Exponential, model.Deterministic, model.LogNormal}
	load := 0.5 * math.Pow(12, rnd.Float64())
	shares, total, scale := make([]float64, n), 0.0, 0.0
	for i := range shares {
		shares[i] = 0.05 + rnd.Float64()
		total += shares[i]
	}
	for _, share := range shares {
		mean := math.Exp(5 + 4*rnd.Float64())
		length := must(model.New(kinds[rnd.IntN(len(kinds))], mean, mean*(0.1+1.5*rnd.Float64()), 0))
		rate := load * share / total * sys.Parallel / mean
		scale += rate * length.Moment(2) / 2
		sys.Classes = append(sys.Classes, model.Class{Rate: rate, Length: length})
	}
	scale /= math.Max(1, load) // T0 of a full server
	if f.convention == model.Pooled {
		scale /= sys.Parallel * sys.Parallel
	}
	unit := []float64{300 / scale, 300 / scale, 1e-2, 1, 1e-4}[rnd.IntN(5)]
	perSecond := rnd.IntN(2) == 0
	for i := range sys.Classes {
		c := &sys.Classes[i]
		c.Price.Fixed = 1000 * math.Exp(3*rnd.Float64())
		if perSecond {
			c.Price.Fixed *= c.Length.Mean() / 1000
		}
		c.Decay = unit * c.Price.Fixed * math.Pow(10, 4*rnd.Float64()-4)
		if f.zeros && rnd.IntN(4) == 0 {
			c.Decay = 0
		}
	}
	if f.zeros {
		sys.Classes[rnd.IntN(n)].Decay = 0
	}
	common := 2 * scale * rnd.Float64()
	for i := range sys.Classes {
		switch f.graces {
		case "common":
			sys.Classes[i].Grace.Fixed = common
		case "unequal":
			sys.Classes[i].Grace.Fixed = 2 * scale * rnd.Float64()
			if f.convention == model.Pooled && rnd.IntN(2) == 0 {
				sys.Classes[i].Grace.Fixed *= 5
			}
		}
	}
	return sys
}

// family is a way to draw instances and what must hold for them.
type family struct {
	convention model.Residual
	graces     string
	zeros      bool // some classes do not decay
}

func (f family) String() string {
	decays := "all decay"
	if f.zeros {
		decays = "some do not decay"
	}
	return fmt.Sprintf("%v, graces %s, %s", f.convention, f.graces, decays)
}

func families() []family {
	var list []family
	for _, graces := range []string{"none", "common", "unequal"} {
		for _, convention := range []model.Residual{model.Printed, model.Pooled} {
			list = append(list, family{convention, graces, false}, family{convention, graces, true})
		}
	}
	return list
}

// TestRandomInstances holds the certified optimum of 144 instances against local solves,
// and its bound against both.
func TestRandomInstances(t *testing.T) {
	for _, f := range families() {
		t.Run(f.String(), func(t *testing.T) { certify(t, f, 12, 12, 7) })
	}
}

// certify draws instances and checks each: against conjugate gradients as they
// are by default where k is a multiple of every, against few starts elsewhere.
func certify(t *testing.T, f family, instances, every int, seed uint64) {
	rnd := rand.New(rand.NewPCG(seed, 11))
	var gaps []float64
	nodes, most, open := 0, 0, 0
	for k := range instances {
		sys := wideSystem(rnd, f)
		got := certified(t, sys)
		settings := optimize.Settings{Seed: uint64(k)}
		if k%every != 0 {
			settings.Starts = 2
		}
		local := local(t, sys, settings)
		gaps = append(gaps, got.Gap)
		nodes += got.Nodes
		most = max(most, got.Nodes)
		if local.Revenue > got.UpperBound*(1+1e-12) {
			t.Errorf("instance %d: local optimum %.12g above the bound %.12g", k, local.Revenue, got.UpperBound)
		}
		if !(local.Revenue <= got.Revenue*(1+1e-9)) {
			t.Errorf("instance %d: certified %.12g below a local optimum %.12g (gap %.2g)", k, got.Revenue, local.Revenue, got.Gap)
		}
		if got.Gap != (got.UpperBound-got.Revenue)/got.UpperBound && got.UpperBound > got.Revenue {
			t.Errorf("instance %d: gap %g is not that of %g under %g", k, got.Gap, got.Revenue, got.UpperBound)
		}
		if got.Gap > 1e-6 {
			open++
		}
		if got.Gap > 0.05 {
			t.Errorf("instance %d: gap %g", k, got.Gap)
		}
	}
	share := 0.001
	if f.graces == "unequal" {
		share = 0.05
	}
	if float64(open) > share*float64(instances) {
		t.Errorf("%d of %d instances have a gap above 1e-6", open, instances)
	}
	sort.Float64s(gaps)
	t.Logf("%d instances: gaps %.2g (median), %.2g (99 %%), %.2g (worst), %d above 1e-6; nodes %d on average, %d at most",
		instances, gaps[instances/2], gaps[instances*99/100], gaps[instances-1], open, nodes/instances, most)
}

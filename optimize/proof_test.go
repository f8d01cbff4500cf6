package optimize_test

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"sort"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// knapsack returns the most that fits into a stable queue by price, which is
// the optimum where nothing decays: a linear program with one constraint.
func knapsack(sys model.System) float64 {
	classes := append([]model.Class(nil), sys.Classes...)
	sort.Slice(classes, func(i, j int) bool {
		return classes[i].Price.Fixed/classes[i].Length.Mean() > classes[j].Price.Fixed/classes[j].Length.Mean()
	})
	room, sum := 1-1e-9, 0.0
	for _, c := range classes {
		load := c.Rate * c.Length.Mean() / sys.Parallel
		share := math.Min(1, room/load)
		room -= share * load
		sum += share * c.Rate * c.Price.Fixed
	}
	return sum
}

// TestNothingDecays holds the optimum against the linear program that remains
// where no class decays.
func TestNothingDecays(t *testing.T) {
	rnd := rand.New(rand.NewPCG(17, 3))
	for k := range 96 {
		f := families()[k%len(families())]
		sys := wideSystem(rnd, f)
		for i := range sys.Classes {
			sys.Classes[i].Decay = 0
		}
		got := certified(t, sys)
		if want := knapsack(sys); math.Abs(got.Revenue-want) > 1e-8*want || got.Gap > 1e-6 || got.UpperBound < want*(1-1e-12) {
			t.Errorf("instance %d: %.12g with gap %g, want %.12g", k, got.Revenue, got.Gap, want)
		}
	}
}

// grid returns the largest revenue on a grid of admissions.
func grid(h *model.HOL, steps int) float64 {
	q := make([]float64, h.Len())
	best := 0.0
	for k := range int(math.Pow(float64(steps+1), float64(len(q)))) {
		for i := range q {
			q[i] = float64(k%(steps+1)) / float64(steps)
			k /= steps + 1
		}
		if h.Utilization(q) <= 1-1e-9 {
			best = math.Max(best, h.Revenue(q))
		}
	}
	return best
}

// TestGrid holds optimum and bound of two and three classes against all
// admissions on a fine grid.
func TestGrid(t *testing.T) {
	rnd := rand.New(rand.NewPCG(23, 9))
	near := 0
	const instances = 96
	for k := range instances {
		sys := wideSystem(rnd, families()[k%len(families())])
		sys.Classes = sys.Classes[:2+min(1, len(sys.Classes)-2)*(k/2%2)]
		h := newHOL(t, sys)
		got := certified(t, sys)
		steps := 200
		if len(sys.Classes) == 3 {
			steps = 32
		}
		best := grid(h, steps)
		if best > got.Revenue*(1+1e-9) || best > got.UpperBound {
			t.Errorf("instance %d: %.12g under %.12g, the grid has %.12g", k, got.Revenue, got.UpperBound, best)
		}
		if best > 0.99*got.Revenue {
			near++
		}
	}
	if near < instances/2 {
		t.Errorf("the grid comes within 1 %% of the optimum in %d of %d instances only", near, instances)
	}
}

// TestExtremes solves systems at the ends of what can be computed: each optimum
// is proven and no worse than a local one, or refused with an error that has a
// type.
func TestExtremes(t *testing.T) {
	base := func(n int, convention model.Residual) model.System { return manyClasses(n, convention) }
	scaled := func(change func(sys *model.System)) model.System {
		sys := base(4, model.Pooled)
		change(&sys)
		return sys
	}
	classes := func(change func(c *model.Class)) model.System {
		return scaled(func(sys *model.System) {
			for i := range sys.Classes {
				change(&sys.Classes[i])
			}
		})
	}
	for _, c := range []struct {
		name    string
		sys     model.System
		refused bool
	}{
		{"one class", base(1, model.Pooled), false},
		{"one class, printed", base(1, model.Printed), false},
		{"64 classes", base(64, model.Pooled), false},
		{"64 classes, printed", base(64, model.Printed), false},
		{"a millionth of a slot", scaled(func(sys *model.System) { sys.Parallel = 1e-6 }), false},
		{"no slot to speak of", scaled(func(sys *model.System) { sys.Parallel = 1e-306 }), true},
		{"many slots", scaled(func(sys *model.System) { sys.Parallel = 1e9 }), false},
		{"huge prices", classes(func(c *model.Class) { c.Price.Fixed *= 1e150 }), false},
		{"tiny prices", classes(func(c *model.Class) { c.Price.Fixed *= 1e-150 }), false},
		{"prices beyond range", classes(func(c *model.Class) { c.Price.Fixed = 1e305 }), true},
		{"huge decays", classes(func(c *model.Class) { c.Decay *= 1e12 }), false},
		{"tiny decays", classes(func(c *model.Class) { c.Decay *= 1e-12 }), false},
		{"nothing paid", classes(func(c *model.Class) { c.Price.Fixed = 0 }), false},
		{"nothing offered", classes(func(c *model.Class) { c.Rate = math.Copysign(0, -1) }), false},
		{"next to nothing offered", classes(func(c *model.Class) { c.Rate *= 1e-12 }), false},
		{"everything offered", classes(func(c *model.Class) { c.Rate *= 1e6 }), false},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := optimize.Certified(context.Background(), c.sys, optimize.Settings{})
			var out *optimize.RangeError
			if c.refused {
				if !errors.As(err, &out) {
					t.Errorf("got %v, want a RangeError", err)
				}
				if _, err := optimize.ConjugateGradient(context.Background(), c.sys, optimize.Settings{}); !errors.As(err, &out) {
					t.Errorf("conjugate gradients: got %v, want a RangeError", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			local := local(t, c.sys, optimize.Settings{Starts: 12})
			if local.Revenue > got.Revenue*(1+1e-9) || local.Revenue > got.UpperBound || got.Gap > 1e-6 {
				t.Errorf("%g under %g, a local optimum is %g; %d nodes", got.Revenue, got.UpperBound, local.Revenue, got.Nodes)
			}
		})
	}
}

// TestFewNodes stops searches early: the gap is what is left, and the bound stays one.
func TestFewNodes(t *testing.T) {
	rnd := rand.New(rand.NewPCG(5, 5))
	open := 0
	for range 20 {
		sys := wideSystem(rnd, family{model.Printed, "unequal", false})
		few := certified(t, sys, optimize.Settings{MaxNodes: 1, Starts: 1})
		all := certified(t, sys)
		if few.UpperBound < all.Revenue || few.Revenue > all.UpperBound {
			t.Errorf("one node: %g under %g; all: %g under %g", few.Revenue, few.UpperBound, all.Revenue, all.UpperBound)
		}
		if few.Gap > optimize.Loose {
			open++
		}
	}
	if open == 0 {
		t.Error("one node proves everything: the test tests nothing")
	}
}

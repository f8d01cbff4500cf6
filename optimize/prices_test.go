package optimize_test

import (
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// withDemand gives most classes of a system a demand curve, some with a largest
// price.
func withDemand(rnd *rand.Rand, sys model.System) model.System {
	for i := range sys.Classes {
		c := &sys.Classes[i]
		price := c.MeanPrice()
		if price == 0 || rnd.IntN(5) == 0 {
			continue
		}
		d := &model.Demand{Curve: model.Curves()[rnd.IntN(3)], Elasticity: math.Exp(1.5*rnd.Float64() - 0.5), Price: price, Rate: c.Rate}
		if d.Curve == model.IsoelasticDemand {
			d.Elasticity = 1.05 + 3*rnd.Float64()
		}
		if rnd.IntN(2) == 0 {
			d.Max = price * (1 + 2*rnd.Float64()*rnd.Float64())
		}
		c.Demand = d
	}
	return sys.Priced()
}

// TestPricesRandom holds prices, and what is proven of them, against all prices on
// a fine grid and against local searches, on 60 random instances of two and three
// classes. Every proof closes.
func TestPricesRandom(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 1))
	near := 0
	const instances = 60
	for k := range instances {
		f := families()[k%len(families())]
		sys := wideSystem(rnd, f)
		sys.Classes = sys.Classes[:2+min(1, len(sys.Classes)-2)*(k/2%2)]
		sys = withDemand(rnd, sys)
		h := newHOL(t, sys)
		got := certified(t, sys, optimize.Settings{MaxNodes: 1000})
		steps := 200
		if len(sys.Classes) == 3 {
			steps = 32
		}
		best := grid(h, steps)
		local := local(t, sys, optimize.Settings{Starts: 3})
		if top := math.Max(best, local.Revenue); top > got.Revenue*(1+1e-8) || top > got.UpperBound {
			t.Errorf("instance %d: %.12g under %.12g, the grid has %.12g, a local search %.12g",
				k, got.Revenue, got.UpperBound, best, local.Revenue)
		}
		if best > 0.99*got.Revenue {
			near++
		}
		if got.Gap > 1e-6 {
			t.Errorf("instance %d: gap %g", k, got.Gap)
		}
	}
	if near < instances/2 {
		t.Errorf("the grid comes within 1 %% of the optimum in %d of %d instances only", near, instances)
	}
}

// TestPricesStationary checks that marginal revenue equals the externality.
func TestPricesStationary(t *testing.T) {
	rnd := rand.New(rand.NewPCG(16, 2))
	tested := 0
	for range 60 {
		sys := withDemand(rnd, wideSystem(rnd, family{[]model.Residual{model.Printed, model.Pooled}[rnd.IntN(2)], "none", false}))
		got := certified(t, sys)
		h := newHOL(t, sys)
		marginal := h.Marginals(make([]float64, h.Len()), got.Admit)
		value := make([]float64, h.Len())
		h.MarginalValues(value, got.Admit)
		for i, c := range sys.Classes {
			if d := c.Demand; d != nil && got.Admit[i] > 1e-9 && got.Admit[i] < 1 && math.Abs(got.Admit[i]*c.Rate-d.Kink()) > 1e-6*d.Kink() {
				if math.Abs(value[i])/marginal[i] > 1e-6 {
					t.Errorf("class %v: %g apart of %g at %g, gap %g", c.Demand, value[i], marginal[i], got.Admit[i], got.Gap)
				}
				tested++
			}
		}
	}
	if tested < 100 {
		t.Errorf("%d classes inside: the test tests nothing", tested)
	}
}

// TestPricedShadows holds externalities and shadow prices against closed forms and,
// on random systems with and without graces, against difference quotients: of the
// delay loss, whose slopes on both sides bracket the externality, and of optima with
// more of everything.
func TestPricedShadows(t *testing.T) {
	ctx := context.Background()
	shadows := func(sys model.System) (optimize.Result, optimize.Prices, []float64) {
		t.Helper()
		r := must(optimize.Certified(ctx, sys, optimize.Settings{Gap: 1e-9}))
		p := must(optimize.ShadowPrices(ctx, sys, r))
		costs := must(optimize.Externalities(sys, r))
		return r, p, costs
	}
	one := func(d model.Demand, decay float64) model.System {
		c := model.Class{Rate: d.Rate, Length: exponential(1), Price: model.Tariff{Fixed: d.Price}, Decay: decay, Demand: &d}
		return model.System{Parallel: 1, Phi: 1, Residual: model.Pooled, Classes: []model.Class{c}}.Priced()
	}
	// One class fills the server at a price of 10 sqrt 2, half of which is marginal.
	_, p, costs := shadows(one(model.Demand{Curve: model.IsoelasticDemand, Elasticity: 2, Price: 10, Rate: 2}, 0))
	want := 5 * math.Sqrt2
	if math.Abs(p.Capacity-want) > 1e-6 || math.Abs(costs[0]-want) > 1e-6 || math.Abs(p.Demand[0]-want/2) > 1e-6 {
		t.Errorf("a full server: slot %g, externality %g, want %g; customer %g, want half of it",
			p.Capacity, costs[0], want, p.Demand[0])
	}
	// All come at the largest price: the loss is v x^2/(1-x).
	x := 0.4 * math.Exp(-0.1)
	_, p, costs = shadows(one(model.Demand{Curve: model.ExponentialDemand, Elasticity: 0.5, Price: 10, Rate: 0.4, Max: 12}, 0.5))
	if want = 0.5 * x * (2 - x) / ((1 - x) * (1 - x)); math.Abs(costs[0]-want) > 1e-9 || math.Abs(p.Demand[0]-x/0.4*(12-want)) > 1e-9 {
		t.Errorf("at the largest price: externality %g, want %g; customer %g, want %g", costs[0], want, p.Demand[0], x/0.4*(12-want))
	}

	rnd := rand.New(rand.NewPCG(16, 4))
	kinks := 0
	for k := range 60 {
		f := families()[k%len(families())]
		stated := wideSystem(rnd, f)
		stated.Classes = stated.Classes[:2]
		sys := withDemand(rnd, stated)
		r, p, costs := shadows(sys)
		h := newHOL(t, sys)
		if r.Gap > 1e-8 || r.StabilityBinds {
			continue // no difference quotient has the precision
		}
		pays := h.Marginals(make([]float64, h.Len()), r.Admit)
		up, down := make([]float64, h.Len()), make([]float64, h.Len())
		for i, c := range sys.Classes {
			if r.Admit[i] < 1e-6 || r.Admit[i] == 1 {
				continue
			}
			h.MarginalValues(up, moved(r.Admit, i, 1+1e-7))
			h.MarginalValues(down, moved(r.Admit, i, 1-1e-7))
			low, high := pays[i]-down[i], pays[i]-up[i]
			if kink := c.Demand != nil && math.Abs(c.Demand.Kink()/(r.Admit[i]*c.Rate)-1) < 1e-6; kink {
				continue // there what one more pays has two sides too
			}
			if slack := 1e-5 * pays[i]; costs[i] < low-slack || costs[i] > high+slack {
				t.Errorf("system %d: the externality of class %d is %.9g, its sides are %.9g and %.9g", k, i, costs[i], low, high)
			}
			if high > low*(1+1e-3) {
				kinks++
			}
		}
		check := func(name string, got, scale float64, change func(s *model.System, by float64), step float64) {
			t.Helper()
			more, less := quotients(t, sys, change, step)
			if math.Abs(got-more) > 0.6*math.Abs(more-less)+2e-3*scale {
				t.Errorf("system %d: %s is %.8g, differences give %.8g for more and %.8g for less", k, name, got, more, less)
			}
		}
		check("capacity", p.Capacity, r.Revenue/sys.Parallel, func(s *model.System, by float64) { s.Parallel += by }, 1e-3*sys.Parallel)
		for i, c := range sys.Classes {
			if d := c.Demand; d != nil {
				check("a customer", p.Demand[i], r.Revenue/d.Rate, func(s *model.System, by float64) {
					more := *d
					more.Rate += by
					s.Classes[i].Demand, s.Classes[i].Rate = &more, c.Rate*more.Rate/d.Rate
				}, 1e-3*d.Rate)
			}
		}
	}
	if t.Logf("%d kinks", kinks); kinks < 3 {
		t.Errorf("%d classes on a kink: the test does not test them", kinks)
	}
}

// moved returns an admission with one probability multiplied.
func moved(q []float64, i int, by float64) []float64 {
	q = slices.Clone(q)
	q[i] *= by
	return q
}

// TestMonopolyPrices holds prices against closed forms. Without delay loss and with
// room the price is the monopoly's, p0 (1+e)/(2e) with linear and p0/e with
// exponential demand. Isoelastic demand fills the server: the price of a unit of
// work times 1 - 1/e is the same for all classes.
func TestMonopolyPrices(t *testing.T) {
	for _, residual := range []model.Residual{model.Pooled, model.Printed} {
		sys := model.System{Parallel: 10, Phi: 1, Residual: residual}
		for i, e := range []float64{0.7, 1, 1.6, 0.7, 1, 1.6} {
			d := &model.Demand{Curve: model.LinearDemand, Elasticity: e, Price: 10 + float64(i), Rate: 0.1}
			if i > 2 {
				d.Curve = model.ExponentialDemand
			}
			sys.Classes = append(sys.Classes, model.Class{Rate: d.Rate, Length: exponential(1 + float64(i)), Price: model.Tariff{Fixed: d.Price}, Demand: d})
		}
		priced := sys.Priced()
		got := certified(t, priced)
		for i, c := range priced.Classes {
			e, sale := c.Demand.Elasticity, c.Sale(got.Admit[i])
			want := c.Demand.Price * (1 + e) / (2 * e)
			if c.Demand.Curve == model.ExponentialDemand {
				want = c.Demand.Price / e
			}
			if math.Abs(sale.Price-want) > 1e-9*want || sale.Admit != 1 || got.Gap > 1e-9 {
				t.Errorf("%v: class %d asks %.12g, want %.12g; gap %g", residual, i, sale.Price, want, got.Gap)
			}
		}

		for i := range sys.Classes {
			d := sys.Classes[i].Demand
			d.Curve, d.Elasticity = model.IsoelasticDemand, 1.2+0.5*float64(i)
		}
		priced = sys.Priced()
		got = certified(t, priced)
		costs := must(optimize.Externalities(priced, got))
		var first float64
		for i, c := range priced.Classes {
			unit := c.Sale(got.Admit[i]).Price * (1 - 1/c.Demand.Elasticity) / c.Length.Mean()
			if i == 0 {
				first = unit
			}
			if math.Abs(unit-first) > 1e-6*first || math.Abs(costs[i]/c.Length.Mean()-first) > 1e-6*first || !got.StabilityBinds {
				t.Errorf("%v: a unit of work of class %d brings %.12g, of the first %.12g; externality %g",
					residual, i, unit, first, costs[i]/c.Length.Mean())
			}
		}
	}
}

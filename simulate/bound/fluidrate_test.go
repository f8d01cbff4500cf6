package bound

import (
	"context"
	"math"
	"testing"

	"revopt/model"
	"revopt/simulate/workload"
)

func length(t *testing.T, kind model.Kind, mean, sd float64) model.Distribution {
	t.Helper()
	return must(model.New(kind, mean, sd, 0))
}

// TestFluidRateClosed checks rates that are known on paper.
func TestFluidRateClosed(t *testing.T) {
	fixed := model.Class{Name: "fixed", Rate: 1, Length: length(t, model.Exponential, 100, 0), Price: model.Tariff{Fixed: 10}}
	// Jobs shorter than y are taken, where the work of them, 100 (1 - e^-x (1 +
	// x)) with x = y/100, is half of all: x = 1.67834699.
	const x = 1.6783469900166605
	short := 10 * -math.Expm1(-x)
	metered := model.Class{
		Name: "metered", Rate: 1, Length: length(t, model.Gamma, 100, 30), Width: model.FixedWidth(4),
		Price: model.Tariff{PerNodeSecond: 0.5},
	}
	wide := metered
	wide.Width = model.Width{Values: []float64{4, 4000}, Weights: []float64{0.5, 0.5}}
	constant := model.Class{Name: "constant", Rate: 1, Length: length(t, model.Deterministic, 100, 0), Price: model.Tariff{Fixed: 10}}
	for _, c := range []struct {
		name    string
		classes []model.Class
		nodes   float64
		want    float64
		price   float64
	}{
		{"room for all", []model.Class{fixed, metered}, 1000, 10 + 200, 0},
		{"short jobs first", []model.Class{fixed}, 50, short, 10 / (100 * x)},
		{"one density", []model.Class{metered}, 100, 50, 0.5},
		{"too wide", []model.Class{wide}, 1000, 100, 0},
		{"as wide as the machine", []model.Class{wide}, 4, 2, 0.5},
		{"by class", []model.Class{metered, constant}, 200, 100, 0.5},
		{"constant lengths", []model.Class{constant}, 50, 5, 0.1},
		{"nobody", nil, 5, 0, 0},
	} {
		r, err := FluidRate(c.classes, c.nodes)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Bound < c.want*(1-1e-12) || r.Bound > c.want*(1+1e-7) || math.Abs(r.Price-c.price) > 1e-4*c.price {
			t.Errorf("%s: %+v, want %g at price %g", c.name, r, c.want, c.price)
		}
	}
	if _, err := FluidRate(nil, 0); err == nil {
		t.Error("no nodes were taken")
	}
}

// TestFluidRateAboveAnyPacking draws long streams of classes of every family, and
// with deadlines shorter than some jobs, decay of the price, hard deadlines, and floors that are
// money: what the jobs pay at best, packed by value per node-second into the
// machine's time, is no more than the rate but for chance. Where no job loses
// anything without a wait and there is no such money, it is the rate.
func TestFluidRateAboveAnyPacking(t *testing.T) {
	const nodes, jobs = 40, 30000
	base := model.Class{
		Name: "base", Rate: 1, Length: length(t, model.Exponential, 60, 0), Price: model.Tariff{Fixed: 10, PerNodeSecond: 0.1},
		DecayOfPrice: 0.01, Floor: model.Floor{OfPrice: 0.5},
	}
	type variant struct {
		name   string
		change func(*model.Class)
		equal  bool
	}
	variants := []variant{
		{"grace", func(c *model.Class) { c.Grace = model.Grace{Fixed: 5} }, true},
		{"deadline in lengths", func(c *model.Class) { c.Deadline, c.Hard = model.Grace{Lengths: 2}, 0.5 }, true},
		{"fixed deadline", func(c *model.Class) { c.Deadline = model.Grace{Fixed: 50} }, false},
		{"fixed deadline, hard", func(c *model.Class) { c.Deadline, c.Hard = model.Grace{Fixed: 50}, 0.5 }, false},
		{"money for giving up", func(c *model.Class) { c.Floor, c.Expire = model.Floor{Fixed: -4}, model.ExpireFloor }, true},
		{"a share of the price for giving up", func(c *model.Class) { c.Floor, c.Expire = model.Floor{OfPrice: -0.5}, model.ExpireFloor }, true},
		{"money if late", func(c *model.Class) { c.Floor = model.Floor{Fixed: -4} }, true},
		{"more money if late", func(c *model.Class) { c.Floor = model.Floor{Fixed: -20} }, false},
	}
	for _, kind := range model.Kinds() {
		sd := 36.0
		if kind == model.HyperExponential {
			sd = 90
		}
		variants = append(variants, variant{string(kind), func(c *model.Class) {
			c.Length, c.Width = length(t, kind, 60, sd), model.Width{Values: []float64{1, 8}, Weights: []float64{0.25, 0.75}}
			c.Price = model.Tariff{Fixed: 10, PerSecond: 0.02, PerNodeSecond: 0.01}
		}, true})
	}
	for _, c := range variants {
		class := base
		c.change(&class)
		w := must(workload.NewClasses([]model.Class{class}, nodes, workload.Length{Jobs: jobs}))
		source := must(w.Drained(jobs).Jobs(5, 0))
		list := must(Collect(context.Background(), source, 0, Whole))
		items, sum := newItems(list, Uniform(nodes))
		left := float64(jobs) * nodes
		for _, l := range layersOf(items) {
			work := math.Min(l.work, left)
			sum += work * l.value
			left -= work
		}
		r := must(FluidRate([]model.Class{class}, nodes))
		if got := sum / jobs; got > r.Bound*1.015 || c.equal && got < r.Bound*0.985 {
			t.Errorf("%s: the rate is at most %g, jobs pay %g", c.name, r.Bound, got)
		}
	}
}

package optimize_test

import (
	"fmt"
	"math"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

func normal(mean, sd float64) model.Distribution {
	return must(model.New(model.Normal, mean, sd, 0))
}

func arrive(sys *model.System, load float64, shares ...float64) {
	var work float64
	for i, c := range sys.Classes {
		work += shares[i] * c.Length.Mean()
	}
	for i := range sys.Classes {
		sys.Classes[i].Rate = load * shares[i] * sys.Parallel / work
	}
}

func twoClasses(n, grace, high float64) model.System {
	sys := model.System{Parallel: n, Residual: model.Printed, Classes: []model.Class{
		{Name: "high", Length: normal(4400, 1500), Price: model.Tariff{Fixed: 30000}, Decay: 0.1, Grace: model.Grace{Fixed: grace}},
		{Name: "low", Length: normal(4400, 1500), Price: model.Tariff{Fixed: 6000}, Decay: 0.01, Grace: model.Grace{Fixed: grace}},
	}}
	arrive(&sys, 0.8, high, 1-high)
	return sys
}

func fourClasses(load float64) model.System {
	length := normal(4400, 1500)
	sys := model.System{Parallel: 25, Residual: model.Printed}
	for _, c := range []struct {
		name         string
		price, decay float64
	}{{"HvHu", 60000, 4}, {"HvLu", 40000, 4.0 / 3}, {"LvHu", 20000, 1}, {"LvLu", 10000, 0.25}} {
		sys.Classes = append(sys.Classes, model.Class{Name: c.name, Length: length, Price: model.Tariff{Fixed: c.price}, Decay: c.decay})
	}
	arrive(&sys, load, 0.05, 0.20, 0.15, 0.60)
	return sys
}

// TestReference holds the optimum against the numbers of an independent
// solver: admission within 0.002, revenue within 0.01 %.
func TestReference(t *testing.T) {
	type row struct {
		sys     model.System
		name    string
		admit   []float64
		perHour float64
	}
	var rows []row
	for _, r := range []struct {
		h                  float64
		high25, low25, r25 float64
		high30, low30, r30 float64
	}{
		{0.1, 1, 0.8384, 97904, 1, 0.8426, 120962},
		{0.3, 1, 0.7231, 159241, 1, 0.7127, 197139},
		{0.5, 1, 0.3557, 213991, 1, 0.2227, 268677},
		{0.6, 1, 0, 238906, 1, 0, 303242},
		{0.75, 0.9797, 0, 255438, 0.9962, 0, 327685},
		{0.9, 0.8164, 0, 255438, 0.8302, 0, 327685},
	} {
		rows = append(rows,
			row{twoClasses(25, 0, r.h), fmt.Sprintf("two/25/%g", r.h), []float64{r.high25, r.low25}, r.r25},
			row{twoClasses(30, 13200, r.h), fmt.Sprintf("two/30/%g", r.h), []float64{r.high30, r.low30}, r.r30})
	}
	for _, r := range []struct {
		load    float64
		admit   []float64
		perHour float64
	}{
		{0.15, []float64{1, 1, 1, 0.8009}, 37952},
		{0.21, []float64{1, 1, 1, 0}, 45530},
		{0.28, []float64{1, 1, 0.9554, 0}, 53595},
		{0.40, []float64{1, 1, 0, 0}, 64562},
		{0.60, []float64{0.8694, 1, 0, 0}, 75249},
		{0.80, []float64{0, 1, 0, 0}, 79882},
		{1.00, []float64{0, 0.902, 0, 0}, 81117},
	} {
		rows = append(rows, row{fourClasses(r.load), fmt.Sprintf("four/%g", r.load), r.admit, r.perHour})
	}
	for _, r := range rows {
		t.Run(r.name, func(t *testing.T) {
			got := certified(t, r.sys)
			for i, want := range r.admit {
				if math.Abs(got.Admit[i]-want) > 0.002 {
					t.Errorf("%s: admit %.5f, want %.4f", r.sys.Classes[i].Name, got.Admit[i], want)
				}
			}
			if perHour := 3600 * got.Revenue; math.Abs(perHour-r.perHour) > 1e-4*r.perHour {
				t.Errorf("revenue %.1f $/h, want %.1f", perHour, r.perHour)
			}
			if !got.Certified || got.Gap > 1e-6 {
				t.Errorf("gap %g", got.Gap)
			}
			local := local(t, r.sys, optimize.Settings{})
			if local.Revenue > got.UpperBound*(1+1e-12) || local.Revenue < got.Revenue*(1-1e-6) {
				t.Errorf("best local optimum %.12g, certified %.12g, bound %.12g", local.Revenue, got.Revenue, got.UpperBound)
			}
			t.Logf("nodes %d gap %.2g local %.3g", got.Nodes, got.Gap, 1-local.Revenue/got.Revenue)
		})
	}
}

package optimize_test

import (
	"context"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"revopt/model"
	"revopt/optimize"
)

// TestOneClassClosedForm holds the optimum against (24)-(25).
func TestOneClassClosedForm(t *testing.T) {
	for _, convention := range []model.Residual{model.Printed, model.Pooled} {
		for _, decay := range []float64{1e-4, 1e-3, 0.01, 0.1, 1} {
			for _, load := range []float64{0.1, 0.5, 0.9, 1.4, 5} {
				sys := model.System{Parallel: 30, Phi: 1, Residual: convention, Classes: []model.Class{
					{Length: normal(4400, 1500), Price: model.Tariff{Fixed: 1000}, Decay: decay},
				}}
				arrive(&sys, load, 1)
				got := certified(t, sys)
				one := model.NewOneClass(sys.Classes[0], 30, convention)
				loss := one.Capacity * decay * one.Moment2 / 2
				want := math.Min(1, (1-math.Sqrt(loss/(1000+loss)))/load)
				if math.Abs(got.Admit[0]-want) > 1e-5 || !got.Certified {
					t.Errorf("%v, decay %g, load %g: admit %.8f with gap %.1g, closed form %.8f",
						convention, decay, load, got.Admit[0], got.Gap, want)
				}
			}
		}
	}
}

// TestEdges solves inputs at the edge of the model's domain with an obvious optimum.
func TestEdges(t *testing.T) {
	unit := must(model.New(model.Deterministic, 1, 0, 0))
	class := func(rate, price, decay, grace float64) model.Class {
		return model.Class{Rate: rate, Length: unit, Price: model.Tariff{Fixed: price}, Decay: decay, Grace: model.Grace{Fixed: grace}}
	}
	edge := 1 - 1e-9
	for _, c := range []struct {
		name    string
		classes []model.Class
		admit   []float64
		binds   bool
	}{
		{"nothing offered", []model.Class{class(0, 5, 1, 0)}, []float64{1}, false},
		{"nothing offered, nothing paid", []model.Class{class(0, 0, 1, 0)}, []float64{0}, false},
		{"no decay, light", []model.Class{class(0.5, 5, 0, 0)}, []float64{1}, false},
		{"no decay, overload", []model.Class{class(2, 5, 0, 0)}, []float64{edge / 2}, true},
		{"no decay, two prices, overload", []model.Class{class(0.5, 5, 0, 0), class(1, 3, 0, 0)}, []float64{1, edge - 0.5}, true},
		{"a grace that is never reached", []model.Class{class(2, 5, 100, 50)}, []float64{edge / 2}, true},
		{"worth less than it costs", []model.Class{class(0.5, 1e-9, 1e3, 0), class(0.1, 5, 1e-9, 0)}, []float64{0, 1}, false},
		{"one class of three without arrivals", []model.Class{class(0.1, 5, 0.1, 0), class(0, 5, 0.1, 0), class(0.1, 5, 0.1, 0)}, []float64{1, 1, 1}, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			sys := model.System{Parallel: 1, Residual: model.Printed, Classes: c.classes}
			got := certified(t, sys)
			if diff := cmp.Diff(c.admit, got.Admit, cmpopts.EquateApprox(0, 1e-7)); diff != "" {
				t.Errorf("admission (-want +got):\n%s", diff)
			}
			if got.Gap > 1e-6 || got.StabilityBinds != c.binds {
				t.Errorf("gap %g, stability binds: %v, want %v", got.Gap, got.StabilityBinds, c.binds)
			}
			if _, err := optimize.ShadowPrices(context.Background(), sys, got); err != nil {
				t.Error(err)
			}
			local := local(t, sys, optimize.Settings{})
			if math.Abs(local.Revenue-got.Revenue) > 1e-4*got.Revenue {
				t.Errorf("conjugate gradients earn %g, the certified optimum %g", local.Revenue, got.Revenue)
			}
		})
	}
}

// TestIdleDemand prices a class without arrivals: its first job is worth its price less
// the delay that it causes and suffers.
func TestIdleDemand(t *testing.T) {
	sys := fourClasses(0.1)
	sys.Classes[1].Rate = 0
	r := certified(t, sys)
	prices := shadowPrices(t, sys, r)
	more := sys
	more.Classes = append([]model.Class(nil), sys.Classes...)
	const step = 1e-7
	more.Classes[1].Rate = step
	after := certified(t, more)
	if want := (after.Revenue - r.Revenue) / step; math.Abs(prices.Demand[1]-want) > 1e-3*want {
		t.Errorf("demand %g, a first job is worth %g", prices.Demand[1], want)
	}
}

// TestSweep checks that a warm start changes nothing but the time.
func TestSweep(t *testing.T) {
	values := []float64{0.1, 0.3, 0.5, 0.9, 1.2}
	points := must(optimize.Sweep(context.Background(), values, func(x float64) (model.System, error) { return fourClasses(x), nil }, optimize.Settings{}))
	for i, p := range points {
		cold := certified(t, fourClasses(values[i]))
		if diff := cmp.Diff(cold.Admit, p.Result.Admit, cmpopts.EquateApprox(0, 1e-5)); diff != "" {
			t.Errorf("load %g (-cold +warm):\n%s", p.Value, diff)
		}
	}
}

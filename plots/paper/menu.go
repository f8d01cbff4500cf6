package paper

import (
	"context"
	"fmt"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
)

// menuElasticity is the elasticity of demand of all classes at the stated price.
const menuElasticity = 1.5

// priceMenu draws the prices that earn most against the load, proven to within 10⁻⁶:
// scenario nist-four with one pooled server and exponential demand. While there is
// room every class pays p0/e, and more jobs come than at the stated price.
func priceMenu() Recipe {
	return Recipe{ID: "price-menu", Title: "Prices and rates that earn most", build: buildPriceMenu}
}

func buildPriceMenu(ctx context.Context, o Options) (Result, error) {
	f := open("nist-four", scenario.Override{Path: "server.residual", Value: "pooled"})
	stated, err := f.system()
	if err != nil {
		return Result{}, err
	}
	for _, c := range stated.Classes {
		demand := fmt.Sprintf("{curve: exponential, elasticity: %g}", menuElasticity)
		f = f.with(scenario.Override{Path: "classes." + c.Name + ".demand", Value: demand})
	}
	loads := finer(o.Quick, []float64{0.1, 0.5, 1, 2}, grid(1, 20, 10))
	percent := plots.Axis{Label: "Offered load", Percent: true, Max: 2}
	prices := plots.Figure{Title: "Prices", X: percent, Y: plots.Axis{Label: "Price / stated price", Percent: true}}
	rates := plots.Figure{Title: "Jobs sold", X: percent, Y: plots.Axis{Label: "Jobs", Unit: "1/h"}}
	for _, c := range stated.Classes {
		prices.Series = append(prices.Series, plots.Series{Name: className(c.Name), X: loads})
		rates.Series = append(rates.Series, plots.Series{Name: className(c.Name), X: loads})
	}
	money := plots.Series{Name: "Best prices", X: loads}
	fixed := plots.Series{Name: "Stated prices, best admission", X: loads}
	var gain, at float64
	plain := curve{at: f.varying("load")}
	priced := curve{at: func(load float64) (model.System, error) {
		sys, err := plain.at(load)
		return sys.Priced(), err
	}}
	solved, err := computed(ctx, o, 2*len(loads), func(ctx context.Context, i int) (optimize.Point, error) {
		return []curve{plain, priced}[i%2].optimum(ctx, loads[i/2])
	})
	if err != nil {
		return Result{}, err
	}
	for k, load := range loads {
		plain, best := solved[2*k].Result, solved[2*k+1].Result
		for i, c := range solved[2*k+1].System.Classes {
			sale := c.Sale(best.Admit[i])
			prices.Series[i].Y = append(prices.Series[i].Y, sale.Price/c.Demand.Price)
			rates.Series[i].Y = append(rates.Series[i].Y, perHour*sale.Rate*sale.Admit)
		}
		money.Y = append(money.Y, perHour*best.Revenue)
		fixed.Y = append(fixed.Y, perHour*plain.Revenue)
		if g := best.Revenue/plain.Revenue - 1; g > gain {
			gain, at = g, load
		}
	}
	earned := plots.Figure{
		Title: "Revenue", X: percent, Y: plots.Axis{Label: "Revenue", Unit: "$/h"},
		Series: []plots.Series{money, fixed},
	}
	note := fmt.Sprintf("four classes, one pooled server for 25 jobs at a time, load at the stated prices; "+
		"demand falls exponentially with the price, elasticity %g", menuElasticity)
	sheet := plots.Sheet{Panels: []plots.Figure{prices, rates, earned}, Columns: 3, Height: 8.5}
	remark := fmt.Sprintf("the best prices earn up to %.2g %% more than the best admission at the stated prices, "+
		"at a load of %.0f %%", 100*gain, 100*at)
	return Result{Picture: sheet, Provenance: f.provenance(list("load", loads)), Remarks: []string{note, remark}}, nil
}

//go:build !js

package report

import (
	"revopt/internal/text"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// PriceFigure draws the prices of markets as steps, a line for each pool; all: every step.
func PriceFigure(r *study.Result, prices []metric.Prices, all bool) plots.Figure {
	fig := plots.Figure{
		ID: "prices", Title: "Prices: " + text.OneLine(r.Name()), X: plots.Axis{Label: "Time", Time: true},
		Y: plots.Axis{Label: "Price", Unit: "$ per " + text.Unit(r.UnitName) + "-hour"}, Width: 17,
	}
	for i, row := range prices {
		for site, path := range row {
			name := r.Policies[i].Label
			if site < len(r.Pools) {
				name += ", " + r.Pools[site].Name
			}
			if !all {
				path = path.Thinned(MostSteps)
			}
			fig.Series = append(fig.Series,
				plots.Series{Name: text.OneLine(name), X: path.Time, Y: path.Price, Kind: plots.Step})
		}
	}
	return fig
}

//go:build !js

package report

import (
	"math"

	"revopt/plots"
)

// Pictures returns the admission, or the prices, and the revenue.
func (cv Curve) Pictures() (sheet plots.Picture, each []plots.Picture) {
	choice, revenue := cv.choiceFigure(), cv.revenueFigure()
	all := plots.Sheet{ID: FileName(cv.Scenario, cv.Vary, "curve"), Panels: []plots.Figure{choice, revenue}}
	return all, []plots.Picture{choice, revenue}
}

// choiceFigure draws the admission, or the price, of each class.
func (cv Curve) choiceFigure() plots.Figure {
	fig := plots.Figure{
		ID: FileName(cv.Scenario, cv.Vary, "admission"), Title: "Admission that earns most",
		X: Axis(cv.Vary), Y: plots.Axis{Label: "Admitted", Percent: true, Max: 1},
	}
	if cv.priced() {
		fig.ID, fig.Title = FileName(cv.Scenario, cv.Vary, "prices"), "Prices that earn most"
		fig.Y = plots.Axis{Label: "Price", Unit: "$", Max: math.NaN()}
	}
	for k, c := range cv.same() {
		s := plots.Series{Name: c.Name}
		for _, p := range cv.Points {
			y := p.Classes[k].Admit
			if cv.priced() {
				y = p.Classes[k].Price
			}
			s.X, s.Y = append(s.X, float64(p.Value)), append(s.Y, float64(y))
		}
		fig.Series = append(fig.Series, s)
	}
	return fig
}

// revenueFigure draws the revenue below its bound.
func (cv Curve) revenueFigure() plots.Figure {
	earns := plots.Series{Name: "Best admission"}
	var x, bound []float64
	for _, p := range cv.Points {
		earns.X = append(earns.X, float64(p.Value))
		earns.Y = append(earns.Y, float64(p.RevenuePerHour))
		if p.Proven() {
			x = append(x, float64(p.Value))
			bound = append(bound, float64(p.UpperBoundPerSecond)*3600)
		}
	}
	fig := plots.Figure{
		ID: FileName(cv.Scenario, cv.Vary, "revenue"), Title: "Revenue of the best admission",
		X: Axis(cv.Vary), Y: plots.Axis{Label: "Revenue", Unit: "$/h", Max: math.NaN()},
		Series: []plots.Series{earns},
	}
	if len(x) > 0 {
		fig.Regions = []plots.Region{plots.Ceiling("Proven bound", x, bound)}
	}
	return fig
}

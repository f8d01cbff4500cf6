//go:build !js

package report

import (
	"revopt/internal/text"
	"revopt/plots"
	"revopt/simulate"
	"revopt/simulate/study"
)

// Prices is an observer that notes the prices of markets over time, by site, in $ per unit-hour.
type Prices []plots.Series

// Observe implements simulate.Observer.
func (p *Prices) Observe(e simulate.Event) {
	if e.Site == nil || !e.Site.Market() || e.Kind != simulate.Priced && e.Kind != simulate.Ended {
		return
	}
	for e.Site.Index() >= len(*p) {
		*p = append(*p, plots.Series{X: []float64{0}, Y: []float64{0}, Kind: plots.Step})
	}
	s, price := &(*p)[e.Site.Index()], 3600*e.Site.Price()
	if last := len(s.X) - 1; s.X[last] == e.Time { // the last price of an instant counts
		s.Y[last] = price
		return
	}
	s.X, s.Y = append(s.X, e.Time), append(s.Y, price)
}

// mostSteps is the number of steps of a line in a picture; more are drawn as means.
const mostSteps = 1000

// thinned returns the means of a line of many steps over equal times.
func thinned(s plots.Series) plots.Series {
	last := len(s.X) - 1
	if last <= mostSteps {
		return s
	}
	bin, i := s.X[last]/mostSteps, 0
	x, y := make([]float64, mostSteps+1), make([]float64, mostSteps+1)
	for k := range mostSteps {
		for x[k+1] = float64(k+1) * bin; i < last; i++ {
			y[k] += s.Y[i] * (min(s.X[i+1], x[k+1]) - max(s.X[i], x[k])) / bin
			if s.X[i+1] > x[k+1] {
				break
			}
		}
	}
	s.X, s.Y, y[mostSteps] = x, y, s.Y[last]
	return s
}

// PriceFigure draws the prices of markets under policies as steps, one line for each pool. With
// all, it has every step.
func PriceFigure(r *study.Result, prices []Prices, all bool) plots.Figure {
	fig := plots.Figure{
		ID: "prices", Title: "Prices: " + text.OneLine(r.Name()), X: plots.Axis{Label: "Time", Time: true},
		Y: plots.Axis{Label: "Price", Unit: "$ per " + text.Unit(r.UnitName) + "-hour"}, Width: 17,
	}
	for i, row := range prices {
		for site, s := range row {
			if s.Name = r.Policies[i].Label; site < len(r.Pools) {
				s.Name += ", " + r.Pools[site].Name
			}
			if s.Name = text.OneLine(s.Name); !all {
				s = thinned(s)
			}
			fig.Series = append(fig.Series, s)
		}
	}
	return fig
}

//go:build !js

package formula

import (
	"math"

	"revopt/plots"
	"revopt/plots/wording"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
)

// Pictures returns the admission, or the prices, and the revenue.
func (cv Curve) Pictures() (sheet plots.Picture, each []plots.Picture) {
	choice, revenue := cv.choiceFigure(), cv.revenueFigure()
	all := plots.Sheet{ID: wording.FileName(cv.Scenario, cv.Vary, "curve"), Panels: []plots.Figure{choice, revenue}}
	return all, []plots.Picture{choice, revenue}
}

func (cv Curve) choiceFigure() plots.Figure {
	fig := plots.Figure{
		ID: wording.FileName(cv.Scenario, cv.Vary, "admission"), Title: "Admission that delivers most",
		X: wording.PathAxis(cv.Vary), Y: plots.Axis{Label: "Admitted", Percent: true, Max: 1},
	}
	if cv.priced() {
		fig.ID, fig.Title = wording.FileName(cv.Scenario, cv.Vary, "prices"), "Prices that deliver most"
		fig.Y = plots.Axis{Label: "Price", Unit: "$", Max: math.NaN()}
	}
	for k, c := range cv.same() {
		s := plots.Series{Name: subject.Section{Name: c.Name, Pool: c.Pool}.Label()}
		for _, p := range cv.Points {
			y := p.Classes[k].Admit
			if cv.priced() {
				y = p.Classes[k].Price
			}
			wording.AddPoint(&s, float64(p.Value), float64(y))
		}
		fig.Series = append(fig.Series, s)
	}
	return fig
}

func (cv Curve) revenueFigure() plots.Figure {
	earns, bound := plots.Series{Name: "Best admission"}, plots.Series{}
	for _, p := range cv.Points {
		wording.AddPoint(&earns, float64(p.Value), float64(p.RevenuePerHour))
		if p.Proven() {
			wording.AddPoint(&bound, float64(p.Value), float64(p.UpperBoundPerSecond)*3600)
		}
	}
	fig := plots.Figure{
		ID: wording.FileName(cv.Scenario, cv.Vary, "revenue"), Title: "Revenue of the best admission",
		X: wording.PathAxis(cv.Vary), Y: plots.Axis{Label: "Revenue", Unit: "$/h", Max: math.NaN()},
		Series: []plots.Series{earns},
	}
	if len(bound.X) > 0 {
		fig.Regions = []plots.Region{plots.Ceiling("Proven bound", bound.X, bound.Y)}
	}
	return fig
}

// Pictures returns P(W > t): one figure or, with simulated shares, one panel for each class.
func (a Waits) Pictures() (sheet plots.Picture, each []plots.Picture) {
	id, title := wording.FileName(a.Scenario, "wait"), "Jobs that wait longer"
	notes := []string{"Waits in " + a.queueWords() + "."}
	if a.Replications == 0 {
		fig := waitAxes(title)
		fig.ID, fig.Notes = id, notes
		for _, c := range a.Classes {
			line, _ := waitSeries(c)
			line.Name = subject.Section{Name: c.Name, Pool: c.Pool}.Label()
			fig.Series = append(fig.Series, line)
		}
		return fig, []plots.Picture{fig}
	}
	panels := plots.Sheet{ID: id, Title: title, Notes: append(notes, a.simulatedWords())}
	for _, c := range a.Classes {
		fig := waitAxes(subject.Section{Name: c.Name, Pool: c.Pool}.Label())
		line, points := waitSeries(c)
		line.Name, line.Look = "Computed", 1
		points.Name, points.Look = "Simulated", 2
		fig.Series = []plots.Series{line, points}
		panels.Panels = append(panels.Panels, fig)
	}
	return panels, []plots.Picture{panels}
}

func waitAxes(title string) plots.Figure {
	return plots.Figure{
		Title: title, X: plots.Axis{Label: "Wait", Time: true},
		Y: plots.Axis{Label: "Share of jobs", Log: true, Min: solve.Faintest, Max: 1, Clip: true},
	}
}

// waitSeries returns the curve of a class, and every fourth simulated share as a point.
func waitSeries(c solve.ClassWait) (line, points plots.Series) {
	points.Kind = plots.Points
	for n, t := range c.Curve {
		wording.AddPoint(&line, float64(t.T), float64(t.P))
		if s := t.Simulated; s != nil && n%4 == 2 {
			wording.AddBand(&points, float64(t.T), float64(s.Mean), float64(s.Mean-s.HalfWidth),
				float64(s.Mean+s.HalfWidth))
		}
	}
	return line, points
}

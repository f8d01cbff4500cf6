//go:build !js

package report

import (
	"revopt/plots"
	"revopt/simulate/study"
)

// Pictures returns P(W > t): one figure of all classes or, with simulated shares, one
// panel for each class.
func (a Waits) Pictures() (sheet plots.Picture, each []plots.Picture) {
	id, title := FileName(a.Scenario, "wait"), "Jobs that wait longer"
	notes := []string{"Waits in " + a.queueWords() + "."}
	if a.Replications == 0 {
		fig := waitAxes(title)
		fig.ID, fig.Notes = id, notes
		for _, c := range a.Classes {
			line, _ := waitSeries(c)
			line.Name = c.Name
			fig.Series = append(fig.Series, line)
		}
		return fig, []plots.Picture{fig}
	}
	panels := plots.Sheet{ID: id, Title: title, Notes: append(notes, a.simulatedWords())}
	for _, c := range a.Classes {
		fig := waitAxes(c.Name)
		line, points := waitSeries(c)
		line.Name, line.Look = "Computed", 1
		points.Name, points.Look = "Simulated", 2
		fig.Series = []plots.Series{line, points}
		panels.Panels = append(panels.Panels, fig)
	}
	return panels, []plots.Picture{panels}
}

// waitAxes returns a figure without series.
func waitAxes(title string) plots.Figure {
	return plots.Figure{
		Title: title, X: plots.Axis{Label: "Wait", Time: true},
		Y: plots.Axis{Label: "Share of jobs", Log: true, Min: study.Faintest, Max: 1},
	}
}

// waitSeries returns the curve of a class, and every fourth simulated share as a
// point.
func waitSeries(c study.ClassWait) (line, points plots.Series) {
	points.Kind = plots.Points
	for n, t := range c.Curve {
		x := float64(t.T)
		line.X, line.Y = append(line.X, x), append(line.Y, float64(t.P))
		if s := t.Simulated; s != nil && n%4 == 2 {
			points.X, points.Y = append(points.X, x), append(points.Y, float64(s.Mean))
			points.Low = append(points.Low, float64(s.Mean-s.HalfWidth))
			points.High = append(points.High, float64(s.Mean+s.HalfWidth))
		}
	}
	return line, points
}

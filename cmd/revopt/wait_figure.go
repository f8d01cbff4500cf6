package main

import (
	"math"

	"revopt/model"
	"revopt/plots"
)

// faintest is the tail at which the figure ends.
const faintest = 1e-3

// draw computes the curves of the figure: each class from 0 to where its tail
// fades.
func (a *waitAnswer) draw(waits *model.Waits, classes []int) {
	const points = 48
	for k, i := range classes {
		end, err := waits.Quantile(i, 1-faintest)
		if err != nil || math.IsInf(end, 1) || end == 0 {
			continue // never served, or next to nobody waits
		}
		for n := range points {
			a.Classes[k].curve = append(a.Classes[k].curve, tailAt(waits, i, end*float64(n)/(points-1)))
		}
	}
}

// saveWaits writes the figure of the tails.
func (t target) saveWaits(a *waitAnswer, prov plots.Provenance) error {
	switch {
	case t.path == "":
		return nil
	case !t.dir:
		return plots.SaveFile(t.path, a.picture(), prov)
	}
	_, err := plots.Save(t.path, a.picture(), prov, plots.PNG, plots.SVG, plots.PDF, plots.CSV)
	return err
}

// picture draws P(W > t): all classes in one figure, or, with simulated shares
// on top, each in its own.
func (a *waitAnswer) picture() plots.Picture {
	notes := []string{"Waits in " + a.queueWords() + "."}
	if a.replications == 0 {
		fig := a.axes("Jobs that wait longer", a.Classes)
		fig.ID, fig.Notes = a.id(), notes
		size, _ := timeUnit(longest(a.Classes))
		for _, c := range a.Classes {
			line, _ := c.series(size)
			line.Name = c.Name
			fig.Series = append(fig.Series, line)
		}
		return fig
	}
	sheet := plots.Sheet{ID: a.id(), Title: "Jobs that wait longer", Notes: append(notes, "Simulated with 95 % intervals.")}
	for _, c := range a.Classes {
		alone := []waitClass{c}
		fig := a.axes(c.Name, alone)
		size, _ := timeUnit(longest(alone))
		line, points := c.series(size)
		line.Name, line.Look = "Computed", 1
		points.Name, points.Look = "Simulated", 2
		fig.Series = []plots.Series{line, points}
		sheet.Panels = append(sheet.Panels, fig)
	}
	return sheet
}

// axes returns a figure of some classes without series.
func (a *waitAnswer) axes(title string, classes []waitClass) plots.Figure {
	_, unit := timeUnit(longest(classes))
	return plots.Figure{
		Title: title,
		X:     plots.Axis{Label: "Wait", Unit: unit},
		Y:     plots.Axis{Label: "Share of jobs", Log: true, Min: faintest, Max: 1},
	}
}

// longest returns the last time of the curves of some classes.
func longest(classes []waitClass) float64 {
	end := 0.0
	for _, c := range classes {
		for _, t := range c.curve {
			end = math.Max(end, float64(t.T))
		}
	}
	return end
}

// series returns the curve of a class, and some of its simulated shares as
// points, by times in units of the given size.
func (c waitClass) series(size float64) (line, points plots.Series) {
	points.Kind = plots.Points
	for n, t := range c.curve {
		x := float64(t.T) / size
		line.X, line.Y = append(line.X, x), append(line.Y, float64(t.P))
		if s := t.Simulated; s != nil && n%4 == 2 {
			points.X, points.Y = append(points.X, x), append(points.Y, float64(s.Mean))
			points.Low = append(points.Low, float64(s.Mean-s.HalfWidth))
			points.High = append(points.High, float64(s.Mean+s.HalfWidth))
		}
	}
	return line, points
}

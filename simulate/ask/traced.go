//go:build !js

package ask

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"

	"revopt/plots"
)

// Sheet draws the arrivals, run times, sizes and load of a trace.
func (r *Trace) Sheet() plots.Sheet {
	hours := r.bars("Arrivals", plots.Axis{Label: "Hour of the day", Min: -0.5, Max: 23.5}, r.Hours[:])
	return plots.Sheet{
		ID: "trace", Title: cmp.Or(r.Header.Machine(), filepath.Base(r.Selection.File)),
		Panels: []plots.Figure{hours, r.runTimesFigure(), r.sizesFigure(), r.loadFigure()},
	}
}

// bars draws the shares of the jobs at 0, 1, 2, ....
func (r *Trace) bars(title string, x plots.Axis, counts []int64) plots.Figure {
	s := plots.Series{Kind: plots.Bars, Look: 1}
	for i, n := range counts {
		addPoint(&s, float64(i), float64(n)/float64(r.Cleaning.Left))
	}
	return plots.Figure{
		Title: title, X: x, Y: plots.Axis{Label: "Jobs", Percent: true, Max: math.NaN()}, Series: []plots.Series{s},
	}
}

func (r *Trace) sizesFigure() plots.Figure {
	var names []string
	for i := range r.Sizes {
		name := fmt.Sprint(1 << i)
		if i > 1 {
			name = fmt.Sprintf("%d-%d", 1<<(i-1)+1, 1<<i)
		}
		names = append(names, name)
	}
	label := "Processors"
	if len(r.Header.PoolUnits()) > 0 {
		label = "Units"
	}
	return r.bars("Sizes", plots.Axis{Label: label, Categories: names}, r.Sizes)
}

func (r *Trace) runTimesFigure() plots.Figure {
	const points = 200
	s := plots.Series{Kind: plots.Line, Look: 1}
	for i := range points + 1 {
		p := float64(i) / points
		if x := r.RunTimes.Quantile(p); x > 0 {
			addPoint(&s, x, p)
		}
	}
	return plots.Figure{
		Title: "Run times", X: plots.Axis{Label: "Run time at most", Time: true, Log: true},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: 1}, Series: []plots.Series{s},
	}
}

// loadFigure draws the submitted work over the capacity of the machine, if that is known.
func (r *Trace) loadFigure() plots.Figure {
	d := r.Demand
	fig := plots.Figure{
		Title: "Load", X: plots.Axis{Label: "Time", Time: true},
		Y: plots.Axis{Label: "Offered load", Percent: true, Max: math.NaN()},
	}
	unit := d.Step * float64(r.Nodes)
	if r.Nodes == 0 {
		fig.Y = plots.Axis{Label: "Work submitted", Unit: "processors", Max: math.NaN()}
		unit = d.Step
	}
	s := plots.Series{Kind: plots.Step, Look: 1}
	for i, work := range d.Sums {
		addPoint(&s, float64(i)*d.Step, work/unit)
	}
	addPoint(&s, float64(len(d.Sums))*d.Step, s.Y[len(s.Y)-1])
	fig.Series = []plots.Series{s}
	return fig
}

// addPoint adds a point to a series.
func addPoint(s *plots.Series, x, y float64) {
	s.X = append(s.X, x)
	s.Y = append(s.Y, y)
}

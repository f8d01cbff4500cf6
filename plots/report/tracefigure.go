//go:build !js

package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"

	"revopt/plots"
)

// Sheet draws the arrivals, run times, sizes and load of a trace.
func (r *TraceInfo) Sheet() plots.Sheet {
	return plots.Sheet{
		ID: "trace", Title: cmp.Or(r.summary.Header.Machine(), filepath.Base(r.File)),
		Panels: []plots.Figure{r.hoursFigure(), r.runTimesFigure(), r.sizesFigure(), r.loadFigure()},
	}
}

func (r *TraceInfo) hoursFigure() plots.Figure {
	s := plots.Series{Kind: plots.Bars, Look: 1}
	for hour, n := range r.Hours {
		s.X = append(s.X, float64(hour))
		s.Y = append(s.Y, float64(n)/float64(r.Cleaning.Left))
	}
	return plots.Figure{
		Title: "Arrivals", X: plots.Axis{Label: "Hour of the day", Min: -0.5, Max: 23.5},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: math.NaN()}, Series: []plots.Series{s},
	}
}

// runTimesFigure draws the distribution function of the run times.
func (r *TraceInfo) runTimesFigure() plots.Figure {
	const points = 200
	s := plots.Series{Kind: plots.Line, Look: 1}
	for i := range points + 1 {
		p := float64(i) / points
		if x := r.summary.RunTimes.Quantile(p); x > 0 {
			s.X = append(s.X, x)
			s.Y = append(s.Y, p)
		}
	}
	return plots.Figure{
		Title: "Run times", X: plots.Axis{Label: "Run time at most", Time: true, Log: true},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: 1}, Series: []plots.Series{s},
	}
}

func (r *TraceInfo) sizesFigure() plots.Figure {
	s := plots.Series{Kind: plots.Bars, Look: 1}
	var names []string
	for i, n := range r.summary.Sizes {
		name := fmt.Sprint(1 << i)
		if i > 1 {
			name = fmt.Sprintf("%d-%d", 1<<(i-1)+1, 1<<i)
		}
		names = append(names, name)
		s.X = append(s.X, float64(i))
		s.Y = append(s.Y, float64(n)/float64(r.Cleaning.Left))
	}
	return plots.Figure{
		Title: "Sizes", X: plots.Axis{Label: "Processors", Categories: names},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: math.NaN()}, Series: []plots.Series{s},
	}
}

// loadFigure draws the submitted work over the capacity of the machine. For a machine
// of unknown size it draws the work.
func (r *TraceInfo) loadFigure() plots.Figure {
	d := r.summary.Demand
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
		s.X = append(s.X, float64(i)*d.Step)
		s.Y = append(s.Y, work/unit)
	}
	s.X = append(s.X, float64(len(d.Sums))*d.Step)
	s.Y = append(s.Y, s.Y[len(s.Y)-1])
	fig.Series = []plots.Series{s}
	return fig
}

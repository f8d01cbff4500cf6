package main

import (
	"fmt"
	"math"

	"revopt/plots"
)

// saveTrace writes the figure of a trace: to a file, or in every format to a
// directory.
func (t target) saveTrace(r *traceReport, prov plots.Provenance) error {
	switch {
	case t.path == "":
		return nil
	case t.dir:
		_, err := plots.Save(t.path, r.sheet(), prov, plots.PNG, plots.SVG, plots.PDF, plots.CSV)
		return err
	}
	return plots.SaveFile(t.path, r.sheet(), prov)
}

// sheet draws when jobs arrive, how long they run, how wide they are and the
// load they make.
func (r *traceReport) sheet() plots.Sheet {
	return plots.Sheet{ID: "trace", Panels: []plots.Figure{r.hoursFigure(), r.runTimesFigure(), r.sizesFigure(), r.loadFigure()}}
}

func (r *traceReport) hoursFigure() plots.Figure {
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
func (r *traceReport) runTimesFigure() plots.Figure {
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
		Title: "Run times", X: plots.Axis{Label: "Run time at most", Unit: "s", Log: true},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: 1}, Series: []plots.Series{s},
	}
}

func (r *traceReport) sizesFigure() plots.Figure {
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

// loadFigure draws the work submitted over what the machine could do meanwhile.
// A machine of unknown size shows work alone.
func (r *traceReport) loadFigure() plots.Figure {
	const day = 86400
	d := r.summary.Demand
	fig := plots.Figure{Title: "Load", X: plots.Axis{Label: "Time", Unit: "d"}, Y: plots.Axis{Label: "Offered load", Percent: true, Max: math.NaN()}}
	unit := d.Step * float64(r.Nodes)
	if r.Nodes == 0 {
		fig.Y = plots.Axis{Label: "Work submitted", Unit: "processors", Max: math.NaN()}
		unit = d.Step
	}
	s := plots.Series{Kind: plots.Step, Look: 1}
	for i, work := range d.Sums {
		s.X = append(s.X, float64(i)*d.Step/day)
		s.Y = append(s.Y, work/unit)
	}
	s.X = append(s.X, float64(len(d.Sums))*d.Step/day)
	s.Y = append(s.Y, s.Y[len(s.Y)-1])
	fig.Series = []plots.Series{s}
	return fig
}

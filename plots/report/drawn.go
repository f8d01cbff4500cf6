//go:build !js

package report

import (
	"cmp"
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"revopt/plots"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
)

// Drawn is a view with figures, alone and on one sheet, which is nil without figures.
type Drawn interface {
	Pictures() (sheet plots.Picture, each []plots.Picture)
}

// point adds a point to a series, and banded one with the ends of its interval.
func point(s *plots.Series, x, y float64) { s.X, s.Y = append(s.X, x), append(s.Y, y) }

func banded(s *plots.Series, x, y, low, high float64) {
	point(s, x, y)
	s.Low, s.High = append(s.Low, low), append(s.High, high)
}

// pathAxis returns the axis of a number of a scenario, by its path.
func pathAxis(path string) plots.Axis {
	known := map[string]plots.Axis{
		"load":                       {Label: "Offered load", Percent: true},
		"server.parallel":            {Label: "Jobs at a time"},
		"server.nodes":               {Label: "Nodes"},
		"trace.nodes":                {Label: "Nodes"},
		"growth":                     {Label: "Growth of arrivals", Percent: true},
		"phi":                        {Label: "Delay coefficient"},
		"trace.arrival_delay_factor": {Label: "Arrival delay factor"},
		"applications.interarrival":  {Label: "Time between applications", Time: true},
		"qos.high_urgency":           {Label: "High urgency jobs", Percent: true},
	}
	if axis, ok := known[path]; ok {
		return axis
	}
	parts := strings.Split(path, ".")
	units := map[string]string{"price": "$", "decay": "$/s", "rate": "jobs/s"}
	label := strings.Join(parts[max(0, len(parts)-3):], " ")
	first, size := utf8.DecodeRuneInString(label)
	last := parts[len(parts)-1]
	if parts[0] == "pools" && last == "units" {
		return plots.Axis{Label: "Units of pool " + parts[1]}
	}
	isTime := slices.Contains([]string{"grace", "mean", "sd", "within"}, last)
	return plots.Axis{Label: string(unicode.ToUpper(first)) + label[size:], Unit: units[last], Time: isTime}
}

// Pictures returns the admission, or the prices, and the revenue.
func (cv Curve) Pictures() (sheet plots.Picture, each []plots.Picture) {
	choice, revenue := cv.choiceFigure(), cv.revenueFigure()
	all := plots.Sheet{ID: FileName(cv.Scenario, cv.Vary, "curve"), Panels: []plots.Figure{choice, revenue}}
	return all, []plots.Picture{choice, revenue}
}

func (cv Curve) choiceFigure() plots.Figure {
	fig := plots.Figure{
		ID: FileName(cv.Scenario, cv.Vary, "admission"), Title: "Admission that earns most",
		X: pathAxis(cv.Vary), Y: plots.Axis{Label: "Admitted", Percent: true, Max: 1},
	}
	if cv.priced() {
		fig.ID, fig.Title = FileName(cv.Scenario, cv.Vary, "prices"), "Prices that earn most"
		fig.Y = plots.Axis{Label: "Price", Unit: "$", Max: math.NaN()}
	}
	for k, c := range cv.same() {
		s := plots.Series{Name: subject.Section{Name: c.Name, Pool: c.Pool}.Label()}
		for _, p := range cv.Points {
			y := p.Classes[k].Admit
			if cv.priced() {
				y = p.Classes[k].Price
			}
			point(&s, float64(p.Value), float64(y))
		}
		fig.Series = append(fig.Series, s)
	}
	return fig
}

func (cv Curve) revenueFigure() plots.Figure {
	earns, bound := plots.Series{Name: "Best admission"}, plots.Series{}
	for _, p := range cv.Points {
		point(&earns, float64(p.Value), float64(p.RevenuePerHour))
		if p.Proven() {
			point(&bound, float64(p.Value), float64(p.UpperBoundPerSecond)*3600)
		}
	}
	fig := plots.Figure{
		ID: FileName(cv.Scenario, cv.Vary, "revenue"), Title: "Revenue of the best admission",
		X: pathAxis(cv.Vary), Y: plots.Axis{Label: "Revenue", Unit: "$/h", Max: math.NaN()},
		Series: []plots.Series{earns},
	}
	if len(bound.X) > 0 {
		fig.Regions = []plots.Region{plots.Ceiling("Proven bound", bound.X, bound.Y)}
	}
	return fig
}

// Pictures returns P(W > t): one figure or, with simulated shares, one panel for each class.
func (a Waits) Pictures() (sheet plots.Picture, each []plots.Picture) {
	id, title := FileName(a.Scenario, "wait"), "Jobs that wait longer"
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
		Y: plots.Axis{Label: "Share of jobs", Log: true, Min: solve.Faintest, Max: 1},
	}
}

// waitSeries returns the curve of a class, and every fourth simulated share as a point.
func waitSeries(c solve.ClassWait) (line, points plots.Series) {
	points.Kind = plots.Points
	for n, t := range c.Curve {
		point(&line, float64(t.T), float64(t.P))
		if s := t.Simulated; s != nil && n%4 == 2 {
			banded(&points, float64(t.T), float64(s.Mean), float64(s.Mean-s.HalfWidth), float64(s.Mean+s.HalfWidth))
		}
	}
	return line, points
}

// Sheet draws the arrivals, run times, sizes and load of a trace.
func (r *TraceInfo) Sheet() plots.Sheet {
	hours := r.bars("Arrivals", plots.Axis{Label: "Hour of the day", Min: -0.5, Max: 23.5}, r.Hours[:])
	return plots.Sheet{
		ID: "trace", Title: cmp.Or(r.Header.Machine(), filepath.Base(r.Selection.File)),
		Panels: []plots.Figure{hours, r.runTimesFigure(), r.sizesFigure(), r.loadFigure()},
	}
}

// bars draws the shares of the jobs at 0, 1, 2, ....
func (r *TraceInfo) bars(title string, x plots.Axis, counts []int64) plots.Figure {
	s := plots.Series{Kind: plots.Bars, Look: 1}
	for i, n := range counts {
		point(&s, float64(i), float64(n)/float64(r.Cleaning.Left))
	}
	return plots.Figure{
		Title: title, X: x, Y: plots.Axis{Label: "Jobs", Percent: true, Max: math.NaN()}, Series: []plots.Series{s},
	}
}

func (r *TraceInfo) sizesFigure() plots.Figure {
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

func (r *TraceInfo) runTimesFigure() plots.Figure {
	const points = 200
	s := plots.Series{Kind: plots.Line, Look: 1}
	for i := range points + 1 {
		p := float64(i) / points
		if x := r.RunTimes.Quantile(p); x > 0 {
			point(&s, x, p)
		}
	}
	return plots.Figure{
		Title: "Run times", X: plots.Axis{Label: "Run time at most", Time: true, Log: true},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: 1}, Series: []plots.Series{s},
	}
}

// loadFigure draws the submitted work over the capacity of the machine, if that is known.
func (r *TraceInfo) loadFigure() plots.Figure {
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
		point(&s, float64(i)*d.Step, work/unit)
	}
	point(&s, float64(len(d.Sums))*d.Step, s.Y[len(s.Y)-1])
	fig.Series = []plots.Series{s}
	return fig
}

package report

import (
	"math"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/simulate/metric"
)

// Overlay is the figure of all policies under all bounds along the axis:
// policies as curves with bands, model bounds dashed, the least proven bound as
// the edge of a hatched area that nothing can be in. It needs points.
func (r *Report) Overlay() plots.Figure {
	scale, unit := r.money()
	fig := plots.Figure{
		ID: r.id("value"), Title: "Value delivered", X: r.Axis.figure(),
		Y:     plots.Axis{Label: "Value delivered", Unit: unit, Max: math.NaN()},
		Width: figureWidth, Height: figureHeight,
	}
	for i, row := range r.Rows {
		fig.Series = append(fig.Series, r.curve(row.Name, scale, func(p Point) metric.Interval { return p.Delivered[i] }))
	}
	for i, b := range r.Bounds {
		at := func(p Point) metric.Interval { return p.Bounds[i] }
		switch {
		case b.Kind == Model:
			s := r.curve("model: "+strings.TrimPrefix(b.Name, "static "), scale, at)
			s.Bound, s.Low, s.High = true, nil, nil
			fig.Series = append(fig.Series, s)
		case b.Best:
			s := r.curve("", scale, at)
			fig.Regions = append(fig.Regions, plots.Ceiling("proven bound: "+b.Name, s.X, s.Y))
		}
	}
	fig.Y.Min, fig.Y.Max = frame(fig)
	fig.VLines = r.own()
	return fig
}

// Shares is the figure of the efficiencies of all policies along the axis.
func (r *Report) Shares() plots.Figure {
	fig := plots.Figure{
		ID: r.id("efficiency"), Title: "Share of what no policy can exceed", X: r.Axis.figure(),
		Y:     plots.Axis{Label: "Efficiency", Percent: true, Max: 1.05},
		Width: figureWidth, Height: figureHeight,
	}
	var x, one []float64
	for _, p := range r.Points {
		x, one = append(x, p.X), append(one, 1)
	}
	lowest := 0.0
	for i, row := range r.Rows {
		s := r.curve(row.Name, 1, func(p Point) metric.Interval { return p.Shares[i] })
		for k := range s.Low {
			lowest = math.Min(lowest, s.Low[k])
			s.High[k] = math.Min(s.High[k], 1) // no luck leads beyond
		}
		fig.Series = append(fig.Series, s)
	}
	if lowest < 0 { // penalties may cost more than is earned
		fig.Y.Min = math.Max(lowest, -1) // far below it no longer matters how far
	}
	if best, ok := r.best(); ok {
		fig.Regions = []plots.Region{plots.Ceiling("proven bound: "+best.Name, x, one)}
	}
	fig.VLines = r.own()
	return fig
}

// Sizes of the figures in centimetres: on their own, and on a page, where they
// are so narrow that their words can be read on a telephone.
const (
	figureWidth  = 16
	figureHeight = 12
	pageWidth    = 10.5
	pageHeight   = 10
)

// Figures returns the figures, none where there are no points to join.
func (r *Report) Figures() []plots.Figure {
	if len(r.Points) < 2 {
		return nil
	}
	return []plots.Figure{r.Overlay(), r.Shares()}
}

// Sheet returns the figures side by side; without figures it cannot be drawn.
func (r *Report) Sheet() plots.Sheet {
	return plots.Sheet{ID: r.id("validation"), Title: r.Scenario, Panels: r.Figures(), Width: 24, Height: 10.5}
}

// curve returns a quantity of the points, in another unit, as a series with a
// band.
func (r *Report) curve(name string, scale float64, at func(Point) metric.Interval) plots.Series {
	s := plots.Series{Name: name}
	for _, p := range r.Points {
		i := at(p)
		i.Mean, i.HalfWidth = scale*i.Mean, scale*i.HalfWidth
		s.X, s.Y = append(s.X, p.X), append(s.Y, i.Mean)
		s.Low, s.High = append(s.Low, i.Mean-i.HalfWidth), append(s.High, i.Mean+i.HalfWidth)
	}
	return s
}

// figure is the axis as figures draw it.
func (a Axis) figure() plots.Axis {
	label := a.Label
	if label == "" {
		label = a.Path
	}
	return plots.Axis{Label: label, Unit: a.Unit, Percent: a.Percent}
}

// own marks the scenario's own value where it lies among the points.
func (r *Report) own() []plots.Rule {
	x := r.Axis.Own
	if x >= r.Points[0].X && x <= r.Points[len(r.Points)-1].X { // not if it is NaN
		return []plots.Rule{{At: x, Text: "table"}}
	}
	return nil
}

// id is a name for files.
func (r *Report) id(what string) string {
	keep := func(c rune) rune {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			return c
		}
		return '-'
	}
	return strings.Map(keep, strings.TrimLeft(r.Scenario, ".")+"-"+what)
}

// Provenance says where the numbers come from, for figures and files.
func (r *Report) Provenance() plots.Provenance {
	seed := r.Seed
	return plots.Provenance{
		Version: r.Version, Scenario: r.Scenario, Seed: &seed, Cleaning: r.Cleaning, Command: r.Command,
		Extra: []plots.Pair{
			{Key: "overrides", Value: strings.Join(r.Changes, ", ")},
			{Key: "replications", Value: text.Plural(r.Replications, "replication")},
			{Key: "length", Value: r.Length},
			{Key: "closest", Value: r.Closest()},
		},
	}
}

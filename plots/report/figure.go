//go:build !js

package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/plots"
	"revopt/plots/wording"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// Overlay is the figure of all policies under all bounds along the axis:
// policies as curves with bands, model bounds dashed, the least proven bound as
// the edge of a hatched area that nothing can be in. Bands are intervals of the
// distance to that. It needs points.
func (r *Report) Overlay() plots.Figure {
	scale, unit := r.money()
	fig := plots.Figure{
		ID: wording.FileName(r.Scenario, "value"), Title: "Value delivered", X: r.axis(),
		Y:     plots.Axis{Label: "Value delivered", Unit: unit, Max: math.NaN(), Clip: true},
		Width: figureWidth, Height: figureHeight,
	}
	for i, row := range r.Policies {
		fig.Series = append(fig.Series, r.curve(row.Label, scale, func(p study.PointResult) metric.Interval {
			return p.Policies[i].Money
		}))
	}
	for _, b := range r.Validated.Bounds {
		at := func(p study.PointResult) metric.Interval { return boundAt(p, b.Name) }
		switch {
		case b.Kind == study.Model:
			s := r.curve("model: "+strings.TrimPrefix(b.Name, "static "), scale, at)
			s.Bound, s.Low, s.High = true, nil, nil
			fig.Series = append(fig.Series, s)
		case b.Best:
			s := r.curve("", scale, at)
			fig.Regions = append(fig.Regions, plots.Ceiling("proven bound: "+b.Name, s.X, s.Y))
		}
	}
	for _, top := range fig.Regions { // no luck leads beyond
		for i := range fig.Series {
			for k, high := range fig.Series[i].High {
				if most := math.Max(top.Y[k], fig.Series[i].Y[k]); high > most {
					fig.Series[i].High[k] = most
				}
			}
		}
	}
	fig.Y.Min, fig.Y.Max = frame(fig)
	fig.VLines = r.own()
	return fig
}

// Shares is the figure of the efficiencies of all policies along the axis. The scale begins below the
// better half; the others may leave the figure.
func (r *Report) Shares() plots.Figure {
	fig := plots.Figure{
		ID: wording.FileName(r.Scenario, "efficiency"), Title: "Share of what no policy can exceed", X: r.axis(),
		Y:     plots.Axis{Label: "Efficiency", Percent: true, Max: 1.05, Clip: true},
		Width: figureWidth, Height: figureHeight,
	}
	var x, one []float64
	for _, p := range r.points() {
		x, one = append(x, r.x(p)), append(one, 1)
	}
	lowest := 1.0
	for i, row := range r.Policies {
		s := r.curve(row.Label, 1, func(p study.PointResult) metric.Interval {
			return p.Policies[i].Efficiency.Interval()
		})
		for k := range s.High { // none where there is one replication
			s.High[k] = math.Min(s.High[k], 1) // no luck leads beyond
		}
		if i < max(3, (len(r.Policies)+1)/2) || row.Policy.Name == subject.Recorded {
			for _, y := range s.Y { // comparisons leave out what is not a number
				if y < lowest {
					lowest = y
				}
			}
		}
		fig.Series = append(fig.Series, s)
	}
	fig.Y.Min = math.Max(math.Floor(20*lowest-0.4)/20, -1) // penalties may cost more than is earned
	fig.Y.Max = 1 + 0.05*(1-fig.Y.Min)
	if best, ok := r.best(); ok {
		fig.Regions = []plots.Region{plots.Ceiling("proven bound: "+best.Name, x, one)}
	}
	fig.VLines = r.own()
	return fig
}

// Sizes of the figures in centimeters: on their own, and on a page, where they
// are so narrow that their words can be read on a telephone.
const (
	figureWidth  = 16
	figureHeight = 12
	pageWidth    = 10.5
	pageHeight   = 10
)

// Figures returns the figures, none where there are no points.
func (r *Report) Figures() []plots.Figure {
	if len(r.Validated.Points) == 0 || r.Validated.Objective != "" { // they show value
		return nil
	}
	list := []plots.Figure{r.Overlay(), r.Shares()}
	for k := range list {
		list[k].EndLabels = true
		series := list[k].Series
		for i := range r.Policies {
			today := r.today(i)
			series[i].Behind = i >= coloredPolicies && !today
			series[i].Bandless = i >= coloredPolicies && len(r.Policies) > coloredPolicies
		}
		for i := len(r.Policies) + 1; i < len(series); i++ { // models after the first
			series[i].Behind = true
		}
	}
	return list
}

// coloredPolicies is how many of the best policies have color, a label and a band. Today has color and a label; all
// others are thin and gray.
const coloredPolicies = 3

// Pictures returns the figures, nil if there are no points to join.
func (r *Report) Pictures() (sheet plots.Picture, each []plots.Picture) {
	panels := r.Figures()
	if panels == nil {
		return nil, nil
	}
	each = text.Each(panels, func(fig plots.Figure) plots.Picture { return fig })
	return plots.Sheet{
		ID: wording.FileName(r.Scenario, "validation"), Title: r.Name(), Panels: panels, Width: 24, Height: 10.5,
	}, each
}

// curve returns a quantity of the points, in another unit, as a series with a band.
func (r *Report) curve(name string, scale float64, at func(study.PointResult) metric.Interval) plots.Series {
	s := plots.Series{Name: name}
	none := false
	for _, p := range r.points() {
		i := at(p).Times(scale)
		low, high := i.Bounds()
		wording.AddBand(&s, r.x(p), i.Mean, low, high)
		none = none || math.IsInf(i.HalfWidth, 0)
	}
	if none { // one replication has no interval, and so no band
		s.Low, s.High = nil, nil
	}
	return s
}

func (r *Report) axis() plots.Axis {
	if r.Validated.ByLoad {
		return plots.Axis{Label: "Offered load, by the arrival delay factor", Percent: true}
	}
	return wording.PathAxis(r.Validated.Vary)
}

// x returns the place of a point on the axis.
func (r *Report) x(p study.PointResult) float64 {
	if r.Validated.ByLoad {
		return float64(p.Load)
	}
	return float64(p.Value)
}

// points returns the points from left to right: a larger delay factor is a smaller load.
func (r *Report) points() []study.PointResult {
	list := slices.Clone(r.Validated.Points)
	slices.SortFunc(list, func(p, q study.PointResult) int { return cmp.Compare(r.x(p), r.x(q)) })
	return list
}

// own marks the scenario's own point where it lies among the points.
func (r *Report) own() []plots.Rule {
	x, points := r.Validated.Value, r.points()
	if r.Validated.ByLoad {
		x = float64(r.Load)
	}
	if x >= r.x(points[0]) && x <= r.x(points[len(points)-1]) { // not if it is NaN
		return []plots.Rule{{At: x, Text: "as it is"}}
	}
	return nil
}

// frame returns the ends of the axis of money. All bounds and means above zero
// fit, and bands up to half as much again. Of losses no more is shown than there
// is to earn: far below it no longer matters how far, and everything else would
// be flat.
func frame(fig plots.Figure) (low, high float64) {
	var top, least, band float64
	include := func(ys []float64) {
		for _, y := range ys { // comparisons leave out what is not a number
			if y > top {
				top = y
			}
			if y < least {
				least = y
			}
		}
	}
	for _, s := range fig.Series {
		include(s.Y)
		for i, y := range s.Y {
			if s.High != nil && y > 0 && s.High[i] > band {
				band = s.High[i]
			}
		}
	}
	for _, region := range fig.Regions {
		include(region.Y)
	}
	if top == 0 && least < 0 { // nothing to earn, much to lose
		return 1.05 * least, -0.1 * least
	}
	if top == 0 {
		return 0, math.NaN()
	}
	return math.Max(1.05*least, -top), 1.05 * math.Max(top, math.Min(band, 1.5*top))
}

// below reports whether some curve leaves a figure at the bottom.
func below(fig plots.Figure) bool {
	return slices.ContainsFunc(fig.Series, func(s plots.Series) bool {
		return slices.ContainsFunc(s.Y, func(y float64) bool { return y < fig.Y.Min })
	})
}

package paper

import (
	"context"
	"fmt"
	"math"
	"strings"

	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/sweep"
)

// validate runs a validation, from where an interrupted one was.
func (o Options) validate(ctx context.Context, v *sweep.Validation) (*sweep.Validated, error) {
	work, err := v.Open()
	if err != nil {
		return nil, err
	}
	numbers, err := o.run(ctx, work)
	if err != nil {
		return nil, err
	}
	return work.Collect(numbers)
}

// An underBounds is the outcome of a validation, in the unit of a figure.
type underBounds struct {
	*sweep.Validated
	names []string  // of the contenders, in figures
	x     []float64 // values of the axis
	// amount returns amounts of money by replication in the unit of the figure.
	amount func(p *sweep.ValidatedPoint, money []float64) []float64
}

// line draws the value that a contender delivers, see addDelivered.
func (b *underBounds) line(contender, look int) plots.Series {
	s := plots.Series{Name: b.names[contender], X: b.x, Look: look}
	for i := range b.Points {
		b.addDelivered(&s, contender, i)
	}
	return s
}

// addDelivered appends the value that a contender delivers at the i-th point.
// Its band is the interval of the distance to the best proven bound on the same
// jobs, up to the bound: what jobs come by luck moves both and is left out.
func (b *underBounds) addDelivered(s *plots.Series, contender, i int) {
	p := &b.Points[i]
	most, got := b.amount(p, p.Best()), b.amount(p, p.Rows[contender].Delivered)
	v, short := metric.Estimate(got, metric.DefaultLevel), metric.Difference(most, got, metric.DefaultLevel)
	v.HalfWidth = short.HalfWidth
	addInterval(s, v)
	if n := len(s.High); n > 0 {
		s.High[n-1] = math.Min(s.High[n-1], v.Mean+short.Mean)
	}
}

// delivered returns the value that a contender delivers at the i-th point.
func (b *underBounds) delivered(contender, i int) metric.Interval {
	p := &b.Points[i]
	return metric.Estimate(b.amount(p, p.Rows[contender].Delivered), metric.DefaultLevel)
}

// bound returns the mean of a bound at every point.
func (b *underBounds) bound(name string) []float64 {
	var y []float64
	for i := range b.Points {
		p := &b.Points[i]
		for _, t := range p.Bounds {
			if t.Name == name {
				y = append(y, metric.Estimate(b.amount(p, t.Total), metric.DefaultLevel).Mean)
			}
		}
	}
	return y
}

// gap returns the largest gap of the clairvoyant bound at any point.
func (b *underBounds) gap() float64 {
	var widest float64
	for _, p := range b.Points {
		for _, t := range p.Bounds {
			if t.Name == sweep.ClairvoyantBound {
				widest = math.Max(widest, t.WidestGap())
			}
		}
	}
	return widest
}

// ceilings are the proven bounds to draw: the clairvoyant one, which is never
// above the fluid one.
func (b *underBounds) ceilings() []plots.Region {
	return []plots.Region{
		plots.Ceiling("Proven bound", b.x, b.bound(sweep.ClairvoyantBound)),
	}
}

// closest says which contender comes closest to the best proven bound at each
// point, and how far it is.
func (b *underBounds) closest(axis string) string {
	var words []string
	for i := range b.Points {
		p := &b.Points[i]
		best := p.Order()[0]
		words = append(words, fmt.Sprintf("%g: %s %s", b.x[i], b.names[best], share(p.Efficiency(best))))
	}
	return "closest to the best proven bound, value delivered as a share of it, by " + axis + ": " + strings.Join(words, "; ")
}

// tightness says how far the bound is above the best contender at two points.
func (b *underBounds) tightness(light, heavy int, words [2]string) string {
	ratio := func(i int) float64 {
		p := &b.Points[i]
		return 1 / p.Efficiency(p.Order()[0]).Mean
	}
	return fmt.Sprintf("proven bound over the best policy: %.3f %s, %.3f %s; the clairvoyant bound is within %.2g %% of the best relaxed schedule",
		ratio(light), words[0], ratio(heavy), words[1], 100*b.gap())
}

// share writes a share with its interval.
func share(v metric.Interval) string {
	if v.N < 2 {
		return fmt.Sprintf("%.1f %%", 100*v.Mean)
	}
	return fmt.Sprintf("%.1f ± %.1f %%", 100*v.Mean, 100*v.HalfWidth)
}

// boundNotes say what is drawn of so many replications.
func boundNotes(replications int, words ...string) []string {
	if replications < 2 {
		return append(words, "One replication, from an empty start to the end of the last job")
	}
	return append(words, fmt.Sprintf("%d replications, from an empty start to the end of the last job; bands: 95 %% intervals of the distance to the bound", replications))
}

package ask

import (
	"context"
	"math"

	"revopt/internal/text"
	"revopt/optimize"
	"revopt/optimize/control"
	"revopt/simulate/agent"
	"revopt/simulate/analytic"
	"revopt/simulate/subject"
)

// controlled is an admission that looks at the queue, and its gain over the best static one.
type controlled struct {
	Kind                string
	RevenuePerSecond    float64
	UpperBoundPerSecond float64 // null where nothing is proven
	// of the two, over the bound; null where nothing is proven
	RelativeGap            float64
	StaticRevenuePerSecond float64
	Gain                   float64 // over static admission, as a share of it
	Thresholds             []analytic.ClassThreshold
	States                 int
}

// Open reports whether a proof was tried and did not close.
func (c *controlled) Open() bool { return c.RelativeGap > optimize.Loose }

// controlQueue finds the admission that earns most of those that look at the
// queue: all of them for ControlState, with a proof, or those by thresholds. A
// system whose state is not small is an *control.UnsuitableError.
func controlQueue(ctx context.Context, a *analytic.Analysis, kind string, gap float64) (*controlled, error) {
	settings := a.Control()
	settings.Gap = gap
	if kind == analytic.ControlThreshold {
		r, err := control.Thresholds(ctx, a.System, settings)
		if err != nil {
			return nil, err
		}
		c := &controlled{
			Kind: kind, RevenuePerSecond: r.Revenue, StaticRevenuePerSecond: r.Static,
			UpperBoundPerSecond: math.Inf(1), RelativeGap: math.NaN(),
		}
		c.Thresholds = analytic.ClassThresholds(subject.ClassNames(a.System.Classes),
			agent.Thresholds{Share: r.Share, Waiting: r.Waiting})
		c.Gain = c.RevenuePerSecond/c.StaticRevenuePerSecond - 1
		return c, nil
	}
	r, err := control.Solve(ctx, a.System, settings)
	if err != nil {
		return nil, err
	}
	// Static admission is one of them, where the table of decisions falls short.
	revenue := math.Max(r.Revenue, r.Static)
	c := &controlled{
		Kind: kind, RevenuePerSecond: revenue, StaticRevenuePerSecond: r.Static,
		Gain:                revenue/r.Static - 1,
		UpperBoundPerSecond: r.UpperBound,
		RelativeGap:         math.Max(0, (r.UpperBound-revenue)/r.UpperBound),
		States:              r.States,
	}
	if r.UpperBound < r.Static*(1-1e-9) {
		return nil, &control.UnsuitableError{Reason: "has prices and decays that differ too much in size for a proof"}
	}
	c.Thresholds = analytic.ReadThresholds(a.System.Classes, r)
	return c, nil
}

// sumControl adds up the admissions that look at the queue of their pool.
func sumControl(a *analytic.Analysis, list []*controlled) *controlled {
	sum := &controlled{Kind: list[0].Kind}
	for _, c := range list {
		sum.RevenuePerSecond += c.RevenuePerSecond
		sum.UpperBoundPerSecond += c.UpperBoundPerSecond
		sum.StaticRevenuePerSecond += c.StaticRevenuePerSecond
		sum.States += c.States
	}
	sum.Gain = sum.RevenuePerSecond/sum.StaticRevenuePerSecond - 1
	bound := sum.UpperBoundPerSecond // infinite without a proof, and the gap is NaN
	sum.RelativeGap = math.Max(0, (bound-sum.RevenuePerSecond)/bound)
	sum.Thresholds = analytic.Gather(a, text.Each(list,
		func(c *controlled) []analytic.ClassThreshold { return c.Thresholds }))
	return sum
}

package sweep

import (
	"math"

	"revopt/simulate/metric"
)

// Validated is what came of a validation.
type Validated struct {
	Contenders []Contender
	Classes    []string // names of the classes of a Sample
	Timed      bool     // class workloads: amounts per second mean something, see ValidatedPoint.Seconds
	Serves     string   // what the bounds allow a scheduler: "whole jobs", ...
	Points     []ValidatedPoint
}

// ValidatedPoint is the outcome at a point: of every contender and bound in the
// same replications.
type ValidatedPoint struct {
	X       float64   // the value of the axis; 0 where there is none
	Rows    []Row     // in the order of the contenders
	Bounds  []Bound   // from loose to tight; those that hold for means alone come last
	Jobs    []int     // offered in each replication
	Seconds []float64 // of each replication in which jobs arrive; nil unless Timed
	level   float64
}

// Row is a contender at a point.
type Row struct {
	Outcome           // samples of all replications, for all the usual figures
	Charged []float64 // $ by replication, what the policy charged in all
	// Delivered is the value delivered by replication, $: for jobs with
	// deadlines their budgets less penalties, for partial results and for job
	// classes what was paid. No bound is ever exceeded by it.
	//
	// Charged stays below the bounds as well wherever a job is charged no more
	// than its budget, and nothing if it ends late: so for all policies on
	// traces with exact estimates. The policies with queues (fifo, easy, ...)
	// charge a second of estimated runtime a dollar and do not look at budgets:
	// where these are smaller, they charge more than what is delivered.
	Delivered []float64
}

// The names of the bounds.
const (
	FluidBound       = "fluid"       // best packing into all of the machine's time
	ClairvoyantBound = "clairvoyant" // best relaxed schedule of a scheduler that knows the future
	FluidRateBound   = "fluid-rate"  // best packing of a stream without end; bounds means alone
)

// Bound is a proven bound at a point.
type Bound struct {
	Name  string
	Total []float64 // $ by replication
	// Gap is the proven tightness by replication, (bound - a relaxed schedule's
	// value)/bound; nil where none is known. No bound of the same relaxation can
	// be lower by more.
	Gap []float64
	// MeanOnly is a bound on long-run means: one replication may exceed it by
	// luck, and a short one because its last jobs are served after the last
	// arrival.
	MeanOnly bool
	// PerSecond is Total over Seconds; nil unless Timed.
	PerSecond []float64
}

// BoundTotal returns the interval of a bound's total over the replications, $.
func (p *ValidatedPoint) BoundTotal(b int) metric.Interval {
	return metric.Estimate(p.Bounds[b].Total, p.level)
}

// BoundPerSecond returns the interval of a bound per second; its mean is NaN
// unless Timed.
func (p *ValidatedPoint) BoundPerSecond(b int) metric.Interval {
	return metric.Estimate(p.Bounds[b].PerSecond, p.level)
}

// WidestGap returns the largest gap of a bound in any replication, NaN where
// none is known.
func (b Bound) WidestGap() float64 {
	widest := math.NaN()
	for _, g := range b.Gap {
		if !(g <= widest) {
			widest = g
		}
	}
	return widest
}

// Best returns the best proven bound of each replication: the least of those
// that hold for it.
func (p *ValidatedPoint) Best() []float64 {
	best := make([]float64, len(p.Jobs))
	for k := range best {
		best[k] = math.Inf(1)
		for _, b := range p.Bounds {
			if !b.MeanOnly {
				best[k] = math.Min(best[k], b.Total[k])
			}
		}
	}
	return best
}

// share returns amounts as shares of the best proven bound, by replication; NaN
// where that is 0.
func (p *ValidatedPoint) share(amounts []float64) []float64 {
	shares := make([]float64, len(amounts))
	for k, most := range p.Best() {
		shares[k] = math.NaN()
		if most > 0 {
			shares[k] = amounts[k] / most
		}
	}
	return shares
}

// Efficiencies returns the value delivered by contender i as a share of the
// best proven bound, by replication.
func (p *ValidatedPoint) Efficiencies(i int) []float64 { return p.share(p.Rows[i].Delivered) }

// Efficiency returns the interval of Efficiencies.
func (p *ValidatedPoint) Efficiency(i int) metric.Interval {
	return metric.Estimate(p.Efficiencies(i), p.level)
}

// ChargedEfficiency returns the interval of what contender i charged as a share
// of the best proven bound.
func (p *ValidatedPoint) ChargedEfficiency(i int) metric.Interval {
	return metric.Estimate(p.share(p.Rows[i].Charged), p.level)
}

// Difference returns the interval of the paired difference of efficiencies,
// that of contender i less that of contender j.
func (p *ValidatedPoint) Difference(i, j int) metric.Interval {
	return metric.Difference(p.Efficiencies(i), p.Efficiencies(j), p.level)
}

// Delivered returns the interval of the value that contender i delivered, $.
func (p *ValidatedPoint) Delivered(i int) metric.Interval {
	return metric.Estimate(p.Rows[i].Delivered, p.level)
}

// Charged returns the interval of what contender i charged, $.
func (p *ValidatedPoint) Charged(i int) metric.Interval {
	return metric.Estimate(p.Rows[i].Charged, p.level)
}

// Order returns the contenders from the most efficient to the least, equals in
// their order. Where there is nothing to earn, and so no efficiency, it is from
// the one that delivers most to the one that loses most.
func (p *ValidatedPoint) Order() []int {
	return orderBy(len(p.Rows), func(i int) float64 {
		if e := p.Efficiency(i).Mean; !math.IsNaN(e) {
			return e
		}
		return p.Delivered(i).Mean
	})
}

// Replications returns how many replications there are.
func (p *ValidatedPoint) Replications() int { return len(p.Jobs) }

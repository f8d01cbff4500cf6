package plan

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"revopt/internal/text"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// BoundedPoint is a point of samples against its bounds: all rows and bounds in the
// same replications. All inference about efficiency is functions of it.
type BoundedPoint struct {
	Rows    []BoundedRow
	Bounds  []Bound   // from loose to tight; those that hold for means alone come last
	Jobs    []int     // offered in each replication
	Seconds []float64 // spans of arrivals by replication; nil where all jobs come at one instant
	Stream  bool      // jobs are a stream

	estimates Outcome // says how intervals are made
	small     bool    // Delivered is the mean of an objective that is to be small

	means func(Outcome) []float64 // of that objective, by replication; nil for value
}

// BoundedGroup is the part of a bounded point in pools that share nothing with others.
type BoundedGroup struct {
	Pools []int
	*BoundedPoint
}

// BoundedRow is a row of a bounded point.
type BoundedRow struct {
	Outcome
	Charged []float64 // $ by replication, charged by the policy in all

	// Delivered is the value delivered by replication, $. No bound is ever exceeded
	// by it.
	//
	// Charged stays below the bounds as well wherever a job is charged no more than
	// its price, and nothing if it ends late. Under the price rules of the papers the
	// policies with queues (fcfs, easy, ...) charge a second of estimated runtime a
	// dollar and do not look at budgets: where these are smaller, they charge more
	// than is delivered.
	Delivered []float64

	unpreempted bool
	recorded    bool // the schedule of a log, which may use more than the machine
	partial     bool // jobs may end with a part of their work
}

// Bounded returns the first n replications of a point against its bounds.
func (s *Samples) Bounded(point, n int) *BoundedPoint {
	p := &BoundedPoint{}
	for _, row := range s.Plan().RowsAt(point) {
		o := s.Row(point, row).Stretched(n)
		p.estimates = o
		given := s.Plan().Rows[row].Policy
		once := given.Unpreempted()
		if given.Spec.Program { // only its runs show whether it suspends jobs
			once = o.Whole()
		}
		p.Rows = append(p.Rows, BoundedRow{o, o.Charged(), o.Delivered(), once,
			given.RepeatsLog(), given.Spec.Needs.Optional})
	}
	jobs, cells := s.boundCells(point, n)
	p.Stream = jobs.Stream() > 0
	if objective := s.Plan().Objective(); objective != "" {
		p.setObjective(objective, readBounds(cells, 0, readDelayBounds), func(Outcome) []int { return []int{-1} })
		return p
	}
	p.setBounds(readBounds(cells, 0, readValueBounds))
	if p.Stream {
		if rate, ok := FluidRate(jobs); ok {
			totals := text.EachAt(p.Seconds, func(_ int, t float64) float64 { return rate * t })
			p.Bounds = append(p.Bounds, Bound{Name: FluidRateBound, MeanOnly: true, Total: totals})
		}
	}
	return p
}

// boundCells returns the jobs that are bounded, and the cells of n replications.
func (s *Samples) boundCells(point, n int) (workload.Workload, [][]float64) {
	jobs, err := s.work.boundedJobs(point, s.all.Numbers)
	if err != nil {
		panic("plan: " + err.Error()) // it was opened before
	}
	list := s.bounds(point)
	for len(list) < n {
		list = append(list, list[len(list)-1])
	}
	return jobs, list[:n]
}

// BoundedGroups returns the first n replications of a point in each group of pools against
// its bounds; nil where the machine is one. Amounts charged are not known by group.
func (s *Samples) BoundedGroups(point, n int) (list []BoundedGroup) {
	jobs, cells := s.boundCells(point, n)
	pools := jobs.Pools()
	if pools == nil {
		return nil
	}
	all := s.Bounded(point, n)
	for g, group := range pools.Groups() {
		p := &BoundedPoint{Stream: all.Stream, estimates: all.estimates}
		for _, row := range all.Rows {
			row.Charged, row.Delivered = nil, make([]float64, n)
			for _, pool := range group {
				floats.Add(row.Delivered, row.Plain(metric.Utility(), row.Column(-1, pool)))
			}
			p.Rows = append(p.Rows, row)
		}
		if objective := s.Plan().Objective(); objective != "" {
			p.setObjective(objective, readBounds(cells, 1+g, readDelayBounds), func(o Outcome) []int {
				return text.Each(group, func(pool int) int { return o.Column(-1, pool) })
			})
		} else {
			p.setBounds(readBounds(cells, 1+g, readValueBounds))
			p.Seconds = all.Seconds
		}
		list = append(list, BoundedGroup{group, p})
	}
	return list
}

// setBounds sets the bounds on the value of each replication.
func (p *BoundedPoint) setBounds(cells []valueBounds) {
	fluid, best := Bound{Name: FluidBound}, Bound{Name: ClairvoyantBound}
	whole, once := Bound{Name: IndivisibleBound}, Bound{Name: UnpreemptedBound}
	for k, values := range cells {
		fluid.Total = append(fluid.Total, values.fluid)
		best.Total, best.Gap = append(best.Total, values.clairvoyant), append(best.Gap, values.gap)
		whole.Total = append(whole.Total, values.indivisible)
		if most, feasible := values.unpreempted, values.feasible; !math.IsNaN(most) {
			for _, row := range p.Rows { // the schedule of a policy counts as well
				if row.unpreempted {
					feasible = math.Max(feasible, row.Delivered[k])
				}
			}
			once.Total, once.Found = append(once.Total, most), append(once.Found, feasible)
			once.Gap = append(once.Gap, math.Max(0, (most-feasible)/math.Max(most, math.SmallestNonzeroFloat64)))
		}
		p.Jobs = append(p.Jobs, int(values.jobs))
		p.Seconds = append(p.Seconds, values.span)
	}
	if !p.Stream && slices.Contains(p.Seconds, 0) {
		p.Seconds = nil
	}
	p.Bounds = []Bound{fluid, best, whole}
	if once.Total != nil {
		p.Bounds = append(p.Bounds, once)
	}
}

// The names of the bounds.
const (
	FluidBound       = "fluid"       // best packing into all of the machine's time
	ClairvoyantBound = "clairvoyant" // best relaxed schedule of a scheduler that knows the future
	IndivisibleBound = "indivisible" // the same where a job pays only as a whole
	UnpreemptedBound = "unpreempted" // the same where a job runs once, on processors of its own
	FluidRateBound   = "fluid-rate"  // best packing of a stream without end; bounds means alone
)

// Bound is a proven bound at a point.
type Bound struct {
	Name  string
	Pool  string    // of BoundTotals
	Total []float64 // $ by replication
	// Gap is the proven tightness by replication, (bound - a relaxed schedule's
	// value)/bound; nil where none is known. No bound of the same relaxation can
	// be lower by more.
	Gap []float64
	// Found is what a schedule of the bound's kind earns, with knowledge of the
	// future, by replication; nil where none was looked for.
	Found []float64
	// MeanOnly is a bound on long-run means: one replication may exceed it by
	// luck, and a short one because its last jobs are served after the last
	// arrival.
	MeanOnly bool
}

// Limits names the kind of policy that the bound limits, in a word or two.
func (b Bound) Limits() string {
	if b.Name == UnpreemptedBound {
		return UnpreemptedPolicies
	}
	return AllPolicies
}

// The kinds of policies that bounds tell apart.
const (
	AllPolicies         = "any"
	UnpreemptedPolicies = "unpreempted" // whole jobs, each once, on processors of its own
)

// WidestGap returns the largest gap of a bound in any replication, NaN if none is known.
func (b Bound) WidestGap() float64 {
	widest := math.NaN()
	for _, g := range b.Gap {
		if !(g <= widest) {
			widest = g
		}
	}
	return widest
}

// Total returns the interval of a bound, $.
func (p *BoundedPoint) Total(b int) metric.Interval { return p.Estimate(p.Bounds[b].Total) }

// PerSecond returns amounts over the time in which jobs arrive.
func PerSecond(totals, seconds []float64) []float64 {
	return text.EachAt(totals, func(k int, x float64) float64 { return x / seconds[k] })
}

// Best returns the bound of each replication that efficiencies are shares of: the
// clairvoyant one, or the fluid one where that is lower by a hair.
func (p *BoundedPoint) Best() []float64 {
	return p.tightest(func(b *Bound) bool {
		return b.Name == FluidBound || b.Name == ClairvoyantBound || b.Name == BusyTimeBound
	})
}

// BestFor returns the tightest bound of each replication for the kind of policy of row i.
func (p *BoundedPoint) BestFor(i int) []float64 {
	return p.tightest(func(b *Bound) bool {
		return !b.MeanOnly && (b.Limits() == AllPolicies || p.Kind(i) == UnpreemptedPolicies)
	})
}

// Kind names the kind of policy of row i, as Bound.Limits does.
func (p *BoundedPoint) Kind(i int) string {
	if p.Rows[i].unpreempted {
		return UnpreemptedPolicies
	}
	return AllPolicies
}

// tightest returns the tightest of some bounds, by replication.
func (p *BoundedPoint) tightest(counts func(*Bound) bool) []float64 {
	best := make([]float64, len(p.Jobs))
	for k := range best {
		best[k] = math.Inf(1)
		if p.small {
			best[k] = math.Inf(-1)
		}
		for _, b := range p.Bounds {
			switch {
			case !counts(&b):
			case p.small:
				best[k] = math.Max(best[k], b.Total[k])
			default:
				best[k] = math.Min(best[k], b.Total[k])
			}
		}
	}
	return best
}

// shares returns amounts as shares of a bound, by replication; NaN for a bound of 0.
func shares(amounts, bound []float64) []float64 {
	return text.EachAt(amounts, func(k int, x float64) float64 {
		if bound[k] > 0 {
			return x / bound[k]
		}
		return math.NaN()
	})
}

// Efficiencies returns the share of the best bound that row i delivers, by replication.
func (p *BoundedPoint) Efficiencies(i int) []float64 { return p.reached(i, p.Best()) }

// Efficiency returns the interval of Efficiencies.
func (p *BoundedPoint) Efficiency(i int) metric.Interval {
	return p.Estimate(p.Efficiencies(i))
}

// Share returns the interval of the share of the best bound that a value delivered by replication is, $.
func (p *BoundedPoint) Share(delivered []float64) metric.Interval {
	return p.Estimate(shares(delivered, p.Best()))
}

// EfficiencyOfKind returns the interval of the share of the tightest bound for the kind of row i.
func (p *BoundedPoint) EfficiencyOfKind(i int) metric.Interval {
	return p.Estimate(p.reached(i, p.BestFor(i)))
}

// ChargedEfficiency returns the interval of the share of the best bound that row i charged.
func (p *BoundedPoint) ChargedEfficiency(i int) metric.Interval {
	if p.small {
		return p.Efficiency(i)
	}
	return p.Estimate(shares(p.Rows[i].Charged, p.Best()))
}

// Difference returns the interval of the efficiency of row i less that of row j, paired.
func (p *BoundedPoint) Difference(i, j int) metric.Interval {
	return p.Estimate(metric.Less(p.Efficiencies(i), p.Efficiencies(j)))
}

// Delivered returns the interval of the value that row i delivered, $.
func (p *BoundedPoint) Delivered(i int) metric.Interval {
	return p.Estimate(p.Rows[i].Delivered)
}

func (p *BoundedPoint) Estimate(x []float64) metric.Interval {
	return p.estimates.Estimate(x, x)
}

// Order returns the rows from the one that delivers most value to the one that delivers least, equals in
// their order, and then the schedule of the log.
func (p *BoundedPoint) Order() []int {
	order := make([]int, len(p.Rows))
	values := make([]float64, len(p.Rows))
	for i := range order {
		order[i], values[i] = i, p.Delivered(i).Mean
		if p.small {
			values[i] = -values[i]
		}
		if math.IsNaN(values[i]) || p.Rows[i].recorded {
			values[i] = math.Inf(-1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}

// Money returns what a row delivers in the unit of the result: dollars per hour of
// arrivals, or dollars where all jobs come at one instant.
func (p *BoundedPoint) Money(row int) metric.Interval {
	if p.Seconds == nil {
		return p.Delivered(row)
	}
	return p.Estimate(Hourly(p.Rows[row].Delivered, p.Seconds))
}

// MoneyBelow is money with the interval of the distance to the bound on the same
// jobs: the luck of which jobs come moves both, and is left out.
func (p *BoundedPoint) MoneyBelow(row int) metric.Interval {
	i := p.Money(row)
	most := p.Best()
	got := p.Rows[row].Delivered
	if i.Range {
		return i
	}
	if p.Seconds != nil {
		most, got = Hourly(most, p.Seconds), Hourly(got, p.Seconds)
	}
	i.HalfWidth = p.Estimate(metric.Less(most, got)).HalfWidth
	return i
}

// Hourly returns amounts per hour of the time in which jobs arrive.
func Hourly(totals, seconds []float64) []float64 {
	return text.EachAt(PerSecond(totals, seconds), func(_ int, x float64) float64 { return metric.Hour * x })
}

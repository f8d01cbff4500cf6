package study

import (
	"cmp"
	"context"
	"io"
	"math"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// NoValueError is a workload whose jobs are worth nothing, so that there is
// nothing to bound.
type NoValueError struct{ File string }

// Error says how to give them value.
func (e *NoValueError) Error() string {
	return e.File + ": expected jobs with prices: without budgets there is no value to bound (give qos, or classes with prices)"
}

// The numbers of a cell of bounds.
const (
	cellFluid = iota
	cellClairvoyant
	cellGap
	cellIndivisible
	cellUnpreempted // NaN where it does not apply
	cellFound       // by a schedule, likewise
	cellSeconds
	cellJobs
	boundNumbers
)

// boundCost is the time to bound a job, s, about.
const boundCost = 4e-4

// boundSlack is the share by which bounds are widened. A policy that collects
// all there is adds the same amounts in another order, and may end a rounding
// error above the bound otherwise.
const boundSlack = 1e-12

// The search for a quick bound starts on a coarse grid and stops at a wide gap: the
// bounds are hardly above those of a validation, and take a tenth of the time.
const (
	quickGap  = 0.02
	quickGrid = 8 // pairs of a job and a cell of time, per job
)

const wholeJobs = "whole jobs"

// setConversion chooses the tightest view of the jobs for which a bound holds for all
// rows, or for those of both kinds.
func (x *Execution) setConversion() {
	partial := 0
	for _, row := range x.Plan.Rows {
		if row.Policy.Partial() {
			partial++
		}
	}
	b := x.Plan.Bounds
	switch both := b != nil && b.WholeOrPartial; {
	case partial == 0 && !both:
		x.convert, x.serves = bound.Whole, wholeJobs
	case partial == len(x.Plan.Rows) && !both && !(b != nil && b.Quick):
		x.convert, x.serves = bound.Partial, "partial results by the deadline"
	default:
		x.convert, x.serves = bound.WholeOrPartial, "whole jobs, also late, or partial results by the deadline"
	}
}

// boundsAt returns how many cells of bounds a point has: none where none are wanted,
// or for a quick bound of a stream, and one where all replications have the same jobs.
func (x *Execution) boundsAt(point int, numbers [][]float64) int {
	b := x.Plan.Bounds
	if b == nil {
		return 0
	}
	jobs, err := x.boundedJobs(point, numbers)
	switch {
	case err != nil || b.Quick && jobs.Stream() > 0:
		return 0
	case !jobs.Random():
		return 1
	}
	return x.Plan.Replications
}

// sameJobs returns the first point that has the jobs and the machine of a point, whose
// bounds serve both: changes of the policy or the admission leave them alone.
func (x *Execution) sameJobs(point int) int {
	own := x.Plan.RowsAt(point)[0]
	if x.Plan.Changes == nil || x.Plan.Rows[own].Admission.priced() {
		return point
	}
	return slices.IndexFunc(x.Plan.Changes, func(c PlanChange) bool {
		return !x.Plan.Rows[c.Rows[0]].Admission.priced() && slices.EqualFunc(c.Set, x.Plan.Changes[point].Set, func(a, b scenario.Override) bool {
			return a.Path == b.Path && a.Value == b.Value
		})
	})
}

// boundWaits reports whether the jobs of a point depend on prices that are not found
// yet.
func (x *Execution) boundWaits(point int, numbers [][]float64) bool {
	row := x.Plan.RowsAt(point)[0]
	_, ok := x.known(point, row, numbers)
	return x.Plan.Rows[row].Admission.priced() && !ok
}

// boundedJobs returns the workload of a point whose jobs are bounded: that of its
// first row.
func (x *Execution) boundedJobs(point int, numbers [][]float64) (workload.Workload, error) {
	at, err := x.ready(context.Background(), point)
	if err != nil {
		return nil, err
	}
	row := x.Plan.RowsAt(point)[0]
	a, ok := x.known(point, row, numbers)
	if !a.priced() || !ok {
		return at.workload, nil
	}
	e, err := at.resolve(context.Background(), row, a)
	if err != nil {
		return nil, err
	}
	return e.Workload, nil
}

// runBounds returns the bounds on the jobs of a replication.
func (x *Execution) runBounds(ctx context.Context, index int, at *point, replication int) ([]float64, error) {
	row := x.Plan.RowsAt(index)[0]
	a, err := x.admit(ctx, index, at, row)
	if !a.priced() {
		a, err = Admission{}, nil
	}
	if err != nil {
		return nil, err
	}
	e, err := at.resolve(ctx, row, a)
	if err != nil {
		return nil, err
	}
	w := e.Workload
	jobs, err := boundJobs(ctx, w, x.Plan.Seed, replication, x.convert)
	if err != nil {
		return nil, err
	}
	m := machineOf(w)
	list := slices.Repeat([]float64{math.NaN()}, boundNumbers)
	list[cellJobs], list[cellSeconds] = float64(len(jobs)), 0
	if w.Stream() > 0 {
		if list[cellSeconds] = w.Window().Horizon; list[cellSeconds] == 0 && len(jobs) > 0 {
			list[cellSeconds] = jobs[len(jobs)-1].Release
		}
	}
	if x.Plan.Bounds.Quick {
		r, err := bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: quickGap, First: max(quickGrid*len(jobs), 1024)})
		list[cellClairvoyant], list[cellGap] = r.Bound, r.Gap
		return list, err
	}
	fluid, err := bound.Fluid(jobs, m)
	if err != nil {
		return nil, err
	}
	best, err := bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: x.Plan.Bounds.Gap})
	if err != nil {
		return nil, err
	}
	whole, err := bound.Indivisible(ctx, jobs, m, best)
	if err != nil {
		return nil, err
	}
	list[cellFluid], list[cellClairvoyant], list[cellGap] = fluid*(1+boundSlack), best.Bound*(1+boundSlack), best.Gap+boundSlack
	list[cellIndivisible] = whole.Bound * (1 + boundSlack)
	once := slices.ContainsFunc(x.Plan.Rows, func(r PlanRow) bool { return r.Policy.Unpreempted() })
	if once && m.Capacity == float64(m.Nodes)*m.Speed {
		r, err := x.unpreempted(ctx, w, replication, jobs, best)
		if err != nil {
			return nil, err
		}
		list[cellUnpreempted], list[cellFound] = r.Bound*(1+boundSlack), r.Feasible
	}
	return list, nil
}

// unpreempted returns the bound for whole jobs that run once. It starts from the
// clairvoyant bound, that for whole jobs where the given one is for partial results as
// well.
func (x *Execution) unpreempted(ctx context.Context, w workload.Workload, replication int, jobs []bound.Job, best bound.Result) (bound.Result, error) {
	m := machineOf(w)
	if x.serves != wholeJobs {
		var err error
		if jobs, err = boundJobs(ctx, w, x.Plan.Seed, replication, bound.Whole); err != nil {
			return best, err
		}
		if best, err = bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: x.Plan.Bounds.Gap}); err != nil {
			return best, err
		}
	}
	return bound.Unpreempted(ctx, jobs, m, best)
}

// boundJobs returns the jobs of a replication as bounds see them.
func boundJobs(ctx context.Context, w workload.Workload, seed uint64, replication int, convert func(*simulate.Job) bound.Job) ([]bound.Job, error) {
	source, err := w.Jobs(seed, replication)
	if err != nil {
		return nil, err
	}
	if c, ok := source.(io.Closer); ok {
		defer c.Close()
	}
	return bound.Collect(ctx, source, 0, convert)
}

// machineOf returns the machine of all sites together.
func machineOf(w workload.Workload) bound.Machine {
	sites := w.Sites()
	if !slices.ContainsFunc(sites, func(s simulate.Site) bool { return s.Machines != nil }) {
		nodes := 0
		for _, s := range sites {
			nodes += s.Processors
		}
		return bound.Uniform(nodes)
	}
	var speeds []float64
	for _, s := range sites {
		for i := range s.Processors {
			speed := 1.0
			if s.Machines != nil {
				speed = s.Machines[i].Speed
			}
			speeds = append(speeds, speed)
		}
	}
	return bound.Mixed(speeds)
}

// BoundedPoint is a point of samples against its bounds: all rows and bounds in the
// same replications. All inference about efficiency is functions of it.
type BoundedPoint struct {
	Rows    []BoundedRow
	Bounds  []Bound   // from loose to tight; those that hold for means alone come last
	Jobs    []int     // offered in each replication
	Seconds []float64 // of each replication in which jobs arrive; nil unless jobs are a stream

	level  float64
	spread bool // intervals are ranges
	looked bool
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
}

// Bounded returns the first n replications of a point against its bounds.
func (s *Samples) Bounded(point, n int) *BoundedPoint {
	p := &BoundedPoint{spread: s.Plan().Resample != nil, looked: s.Plan().Stop != nil}
	for _, row := range s.Plan().RowsAt(point) {
		o := s.Row(point, row).Stretched(n)
		p.level = o.level()
		p.Rows = append(p.Rows, BoundedRow{o, o.extra(extraCharged), o.extra(extraValue), s.Plan().Rows[row].Policy.Unpreempted()})
	}
	jobs, err := s.work.boundedJobs(point, s.all.Numbers)
	if err != nil {
		panic("study: " + err.Error()) // it was opened before
	}
	list := s.bounds(point)
	for len(list) < n {
		list = append(list, list[len(list)-1])
	}
	p.setBounds(jobs, list[:n])
	return p
}

// setBounds reads the cells of the bounds.
func (p *BoundedPoint) setBounds(jobs workload.Workload, cells [][]float64) {
	fluid, best := Bound{Name: FluidBound}, Bound{Name: ClairvoyantBound}
	whole, once := Bound{Name: IndivisibleBound}, Bound{Name: UnpreemptedBound}
	timed := jobs.Stream() > 0
	for k, values := range cells {
		fluid.Total = append(fluid.Total, values[cellFluid])
		best.Total, best.Gap = append(best.Total, values[cellClairvoyant]), append(best.Gap, values[cellGap])
		whole.Total = append(whole.Total, values[cellIndivisible])
		if most, found := values[cellUnpreempted], values[cellFound]; !math.IsNaN(most) {
			for _, row := range p.Rows { // the schedule of a policy counts as well
				if row.unpreempted {
					found = math.Max(found, row.Delivered[k])
				}
			}
			once.Total, once.Found = append(once.Total, most), append(once.Found, found)
			once.Gap = append(once.Gap, math.Max(0, (most-found)/math.Max(most, math.SmallestNonzeroFloat64)))
		}
		p.Jobs = append(p.Jobs, int(values[cellJobs]))
		if timed {
			p.Seconds = append(p.Seconds, values[cellSeconds])
		}
	}
	p.Bounds = []Bound{fluid, best, whole}
	if once.Total != nil {
		p.Bounds = append(p.Bounds, once)
	}
	if timed {
		if r, err := bound.FluidRate(jobs.Customers(), float64(jobs.Sites()[0].Processors)); err == nil {
			rate := Bound{Name: FluidRateBound, MeanOnly: true}
			for _, t := range p.Seconds {
				rate.Total = append(rate.Total, r.Bound*t)
			}
			p.Bounds = append(p.Bounds, rate)
		}
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

// Total returns the interval of a bound, $.
func (p *BoundedPoint) Total(b int) metric.Interval { return p.estimate(p.Bounds[b].Total) }

// BoundPerSecond returns the interval of a bound per second; its mean is NaN
// unless Timed.
func (p *BoundedPoint) BoundPerSecond(b int) metric.Interval {
	if p.Seconds == nil {
		return p.estimate(nil)
	}
	return p.estimate(perSecond(p.Bounds[b].Total, p.Seconds))
}

// perSecond returns amounts over the time in which jobs arrive.
func perSecond(totals, seconds []float64) []float64 {
	rates := make([]float64, len(totals))
	for k, t := range totals {
		rates[k] = t / seconds[k]
	}
	return rates
}

// Best returns the bound of each replication that efficiencies are shares of: the
// clairvoyant one, or the fluid one where that is lower by a hair.
func (p *BoundedPoint) Best() []float64 {
	return p.least(func(b *Bound) bool { return b.Name == FluidBound || b.Name == ClairvoyantBound })
}

// BestFor returns the least bound of each replication that holds for the kind of
// policy of row i.
func (p *BoundedPoint) BestFor(i int) []float64 {
	return p.least(func(b *Bound) bool {
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

// least returns the least of some bounds, by replication.
func (p *BoundedPoint) least(of func(*Bound) bool) []float64 {
	best := make([]float64, len(p.Jobs))
	for k := range best {
		best[k] = math.Inf(1)
		for _, b := range p.Bounds {
			if of(&b) {
				best[k] = math.Min(best[k], b.Total[k])
			}
		}
	}
	return best
}

// shares returns amounts as shares of a bound, by replication; NaN where that is
// 0.
func shares(amounts, bound []float64) []float64 {
	shares := make([]float64, len(amounts))
	for k, most := range bound {
		shares[k] = math.NaN()
		if most > 0 {
			shares[k] = amounts[k] / most
		}
	}
	return shares
}

// Efficiencies returns the value delivered by row i as a share of the
// best proven bound, by replication.
func (p *BoundedPoint) Efficiencies(i int) []float64 { return shares(p.Rows[i].Delivered, p.Best()) }

// Efficiency returns the interval of Efficiencies.
func (p *BoundedPoint) Efficiency(i int) metric.Interval {
	return p.estimate(p.Efficiencies(i))
}

// EfficiencyOfKind returns the interval of the value delivered by row i as
// a share of the least bound that holds for its kind of policy.
func (p *BoundedPoint) EfficiencyOfKind(i int) metric.Interval {
	return p.estimate(shares(p.Rows[i].Delivered, p.BestFor(i)))
}

// ChargedEfficiency returns the interval of what row i charged as a share
// of the best proven bound.
func (p *BoundedPoint) ChargedEfficiency(i int) metric.Interval {
	return p.estimate(shares(p.Rows[i].Charged, p.Best()))
}

// Difference returns the interval of the paired difference of efficiencies,
// that of row i less that of row j.
func (p *BoundedPoint) Difference(i, j int) metric.Interval {
	return p.estimate(metric.Less(p.Efficiencies(i), p.Efficiencies(j)))
}

// Delivered returns the interval of the value that row i delivered, $.
func (p *BoundedPoint) Delivered(i int) metric.Interval {
	return p.estimate(p.Rows[i].Delivered)
}

// estimate returns the interval of a number of each replication.
func (p *BoundedPoint) estimate(x []float64) metric.Interval {
	return Outcome{Level: p.level, Spread: p.spread, Looked: p.looked}.estimate(x, x)
}

// Order returns the rows from the one that delivers most value to the one
// that delivers least, or loses most, equals in their order.
func (p *BoundedPoint) Order() []int {
	order := make([]int, len(p.Rows))
	values := make([]float64, len(p.Rows))
	for i := range order {
		if order[i], values[i] = i, p.Delivered(i).Mean; math.IsNaN(values[i]) {
			values[i] = math.Inf(-1)
		}
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(values[b], values[a]) })
	return order
}

// Replications returns how many replications there are.
func (p *BoundedPoint) Replications() int { return len(p.Jobs) }

// money returns what a row delivers in the unit of the result: dollars
// per hour of arrivals of a stream, else dollars.
func (p *BoundedPoint) money(row int) metric.Interval {
	if p.Seconds == nil {
		return p.Delivered(row)
	}
	return p.estimate(hourly(p.Rows[row].Delivered, p.Seconds))
}

// moneyBelow is money with the interval of the distance to the bound on the same
// jobs: the luck of which jobs come moves both, and is left out.
func (p *BoundedPoint) moneyBelow(row int) metric.Interval {
	i, most, got := p.money(row), p.Best(), p.Rows[row].Delivered
	if i.Range {
		return i
	}
	if p.Seconds != nil {
		most, got = hourly(most, p.Seconds), hourly(got, p.Seconds)
	}
	i.HalfWidth = metric.Difference(most, got, p.level).HalfWidth
	return i
}

// hourly returns amounts per hour of the time in which jobs arrive.
func hourly(totals, seconds []float64) []float64 {
	rates := perSecond(totals, seconds)
	for k := range rates {
		rates[k] *= 3600
	}
	return rates
}

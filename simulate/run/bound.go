package run

import (
	"context"
	"math"
	"slices"
	"strings"

	"revopt/internal/budget"
	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Bound is a bound on the jobs of a replication: what no policy can exceed, or go below.
type Bound struct {
	On    string  `json:"on"`              // the name of an objective; or Rate
	Jobs  View    `json:"jobs,omitempty"`  // what counts as served
	Most  bool    `json:"most,omitempty"`  // that of all policies alone, see Frame.Most
	Once  bool    `json:"once,omitempty"`  // also for policies that run every job once, whole, on units of its own
	Quick bool    `json:"quick,omitempty"` // the clairvoyant bound alone; on jobs that are drawn with a wide gap
	Gap   float64 `json:"gap,omitempty"`   // at which the search stops, relative; 0 is the usual one
}

// Rate is what Bound.On says of the most that any policy earns per hour on a stream without end.
const Rate = "rate"

// View is what of a job may be served. The zero value is the whole job.
type View string

const (
	PartialJobs    View = "partial" // partial results by the deadline
	WholeOrPartial View = "either"
)

func (v View) convert() func(*simulate.Job) bound.Job {
	switch v {
	case PartialJobs:
		return bound.Partial
	case WholeOrPartial:
		return bound.WholeOrPartial
	}
	return bound.Whole
}

// The columns of bounds, of all jobs and of each group of pools that share jobs. Those on the value are in $.
const (
	BoundFluid       = "bound_fluid"       // best packing into all of the machine's time
	BoundClairvoyant = "bound_clairvoyant" // best relaxed schedule with knowledge of the future
	BoundGap         = "bound_gap"         // by how much at most that exceeds the optimum of its own problem, relative
	BoundIndivisible = "bound_indivisible" // the same where a job pays only as a whole
	BoundUnpreempted = "bound_unpreempted" // the same where a job runs once, on units of its own
	BoundRate        = "bound_rate"        // $/h, of a stream without end
	BoundJobs        = "bound_jobs"        // jobs offered
)

// boundSlack is the share by which bounds are widened: a policy that collects all there is may end a rounding error
// above the bound otherwise.
const boundSlack = 1e-12

// The search for a quick bound on jobs that are drawn starts on a coarse grid and stops at a wide gap: the bounds are
// hardly higher, and take a tenth of the time.
const (
	quickGap  = 0.02
	quickGrid = 8 // pairs of a job and a cell of time, per job
)

// bound returns the bounds of a case.
func (l *Lab) bound(ctx context.Context, c Case) (Record, error) {
	at, err := l.point(ctx, c)
	if err != nil {
		return Record{}, err
	}
	how := *c.Do.Bound
	switch how.On {
	case Rate:
		return rateBound(at.workload), nil
	case Wait().Name, Slowdown().Name:
		return overMachines(ctx, c, at, l.spare, delayBound)
	}
	return overMachines(ctx, c, at, l.spare, valueBound)
}

// boundable refuses bounds on jobs that have none.
func (at *point) boundable(how Bound) error {
	m := machineOf(at.workload)
	replay, replayed := at.subject.Workload.(*workload.Replay)
	switch how.On {
	case Rate:
	case Wait().Name, Slowdown().Name:
		if m.Speed != 1 || m.Capacity != float64(m.Nodes) {
			return at.subject.Misfit("expected units of speed 1: bounds on waits need jobs of one length on all units")
		}
	default:
		if replayed && !replay.Pays() {
			return at.subject.Misfit("expected jobs with prices: without budgets there is no value to bound " +
				"(give qos, or classes with prices)")
		}
	}
	return nil
}

// boundBytes is the memory of a job that is bounded, about.
const boundBytes = 4000

// affordBound refuses bounds on more jobs than fit into memory.
func (l *Lab) affordBound(ctx context.Context, w wanted) error {
	at, err := l.point(ctx, w.it)
	if err != nil || w.it.Do.Bound.On == Rate {
		return err
	}
	size := at.workload.Size()
	return budget.Memory(ctx, size*boundBytes*sideBySide(l.o.Workers, w.n), "bounds on %s jobs ask for",
		text.Fixed(size, 0))
}

// rateBound returns the most that any policy earns on a stream, nothing where it is not known.
func rateBound(w workload.Workload) Record {
	rate := 0.0
	for _, p := range machinesOf(w) {
		r, err := bound.FluidRate(p.Customers(), float64(p.Sites()[0].Processors))
		if err != nil {
			return Record{}
		}
		rate += r.Bound
	}
	r := Record{}
	r.set(All, BoundRate, 3600*rate)
	return r
}

// bounds is the bounds on a part of the jobs, which can be added to those on another part.
type bounds[T any] interface {
	plus(T) T
	columns() Columns
}

// overMachines returns the bounds on the machine, which are sums over groups of pools that share nothing. Workers that
// are spare compute groups side by side.
func overMachines[T bounds[T]](ctx context.Context, c Case, at *point, also *spare,
	one func(context.Context, Case, Machine, *spare) (T, error)) (Record, error) {
	var all T
	w := at.workload
	r := Record{map[string]Columns{}}
	machines := machinesOf(w)
	parts, err := alongside(ctx, also, len(machines), func(ctx context.Context, i int) (T, error) {
		return one(ctx, c, machines[i], also)
	})
	if err != nil {
		return Record{}, err
	}
	for i, p := range machines {
		part := parts[i]
		if p.Group != nil {
			name := strings.Join(subject.PoolNames(w.Pools(), p.Group), "+")
			r.Groups[Pool(name)] = part.columns()
		}
		if i > 0 {
			part = all.plus(part)
		}
		all = part
	}
	r.Groups[All] = all.columns()
	if w.Pools() == nil {
		return r, nil
	}
	jobs, span, err := boundJobs(ctx, w, c, bound.Whole) // also those that no pool takes
	if err != nil {
		return Record{}, err
	}
	r.set(All, BoundJobs, float64(len(jobs)))
	r.set(All, ColumnSpan, span)
	return r, nil
}

// valueBounds is what no policy can exceed, $. A number that does not apply is not a number.
type valueBounds struct {
	fluid, clairvoyant, gap, indivisible float64
	unpreempted                          float64
	jobs                                 float64 // offered
	span                                 float64 // s, of arrivals
}

func (b valueBounds) columns() (c Columns) {
	c.Set(BoundFluid, b.fluid)
	c.Set(BoundClairvoyant, b.clairvoyant)
	c.Set(BoundGap, b.gap)
	c.Set(BoundIndivisible, b.indivisible)
	c.Set(BoundUnpreempted, b.unpreempted)
	c.Set(BoundJobs, b.jobs)
	c.Set(ColumnSpan, b.span)
	return c
}

func (b valueBounds) plus(o valueBounds) valueBounds {
	sum := valueBounds{
		fluid: b.fluid + o.fluid, clairvoyant: b.clairvoyant + o.clairvoyant,
		indivisible: b.indivisible + o.indivisible,
		unpreempted: b.unpreempted + o.unpreempted, jobs: b.jobs + o.jobs,
		span: math.Max(b.span, o.span),
	}
	loose := o.gap*o.clairvoyant + b.gap*b.clairvoyant
	sum.gap = loose / math.Max(sum.clairvoyant, math.SmallestNonzeroFloat64)
	return sum
}

// valueBound returns the bounds on the value of the jobs of a part of the machine.
func valueBound(ctx context.Context, c Case, p Machine, also *spare) (valueBounds, error) {
	how, m, none := *c.Do.Bound, machineOf(p.Workload), math.NaN()
	b := valueBounds{fluid: none, clairvoyant: none, gap: none, indivisible: none, unpreempted: none}
	jobs, span, err := boundJobs(ctx, p.Workload, c, how.Jobs.convert())
	if err != nil {
		return b, err
	}
	b.jobs, b.span = float64(len(jobs)), span
	o := bound.Options{Gap: how.Gap, Beside: also.each}
	if how.Quick && p.Workload.Random() {
		o.Gap, o.First = quickGap, max(quickGrid*len(jobs), 1024)
	}
	var best bound.Result
	relaxed := func(ctx context.Context) (err error) {
		best, err = bound.Clairvoyant(ctx, jobs, m, o)
		b.clairvoyant, b.gap = best.Bound*(1+boundSlack), best.Gap+boundSlack
		return err
	}
	if how.Quick {
		err = relaxed(ctx)
		return b, err
	}
	fluid, err := bound.Fluid(jobs, m)
	if err != nil {
		return b, err
	}
	b.fluid = fluid * (1 + boundSlack)
	if how.Most {
		err = relaxed(ctx)
		return b, err
	}
	whole := func(ctx context.Context) error {
		r, err := bound.Indivisible(ctx, jobs, m, best)
		b.indivisible = r.Bound * (1 + boundSlack)
		return err
	}
	if !how.Once || m.Capacity != float64(m.Nodes)*m.Speed {
		err = relaxed(ctx)
		if err == nil {
			err = whole(ctx)
		}
		return b, err
	}
	once := func(ctx context.Context) error {
		r, err := unpreempted(ctx, c, p, jobs, m, best)
		b.unpreempted = r.Bound * (1 + boundSlack)
		return err
	}
	err = relaxed(ctx)
	if err == nil {
		err = also.do(ctx, once, whole)
	}
	return b, err
}

// unpreempted returns the bound for whole jobs that run once. It starts from the clairvoyant bound for whole jobs.
func unpreempted(ctx context.Context, c Case, p Machine, jobs []bound.Job, m bound.Machine,
	best bound.Result) (bound.Result, error) {
	how := *c.Do.Bound
	if how.Jobs != "" {
		var err error
		jobs, _, err = boundJobs(ctx, p.Workload, c, bound.Whole)
		if err != nil {
			return best, err
		}
		best, err = bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: how.Gap})
		if err != nil {
			return best, err
		}
	}
	return bound.Unpreempted(ctx, jobs, m, best)
}

// boundJobs returns the jobs of a replication as bounds see them, and their span of arrivals, s.
func boundJobs(ctx context.Context, w workload.Workload, c Case, convert func(*simulate.Job) bound.Job) ([]bound.Job,
	float64, error) {
	if classes, ok := w.(*workload.Classes); ok && classes.Stream() == 0 { // a pool without jobs
		return nil, 0, nil
	}
	source, err := w.Jobs(c.Seed, c.Replication)
	if err != nil {
		return nil, 0, err
	}
	defer Close(source)
	jobs, err := bound.Collect(ctx, source, 0, convert)
	known, ok := source.(workload.Spanned)
	switch {
	case err != nil || len(jobs) == 0:
		return jobs, w.Window().Horizon, err
	case ok:
		return jobs, known.Span(), nil
	case w.Window().Horizon > 0:
		return jobs, w.Window().Horizon, nil
	case w.Stream() > 0: // the window opens at 0
		return jobs, jobs[len(jobs)-1].Release, nil
	}
	return jobs, jobs[len(jobs)-1].Release - jobs[0].Release, nil
}

// machineOf returns the machine of a workload as bounds see it.
func machineOf(w workload.Workload) bound.Machine {
	sites := w.Sites()
	if slices.ContainsFunc(sites, func(s workload.Site) bool { return s.Machines != nil }) {
		return bound.Mixed(text.Join(sites, speeds))
	}
	nodes := text.Sum(sites, func(s workload.Site) int { return s.Processors })
	m := bound.Uniform(nodes)
	if down := text.Join(sites, func(s workload.Site) []simulate.Outage { return s.Down }); down != nil {
		m.Up = bound.Levels(nodes, down)
	}
	return m
}

// speeds returns the speed of each unit of a site.
func speeds(s workload.Site) []float64 {
	list := slices.Repeat([]float64{1}, s.Processors)
	for i := range s.Machines {
		list[i] = s.Machines[i].Speed
	}
	return list
}

package plan

import (
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/run"
	"revopt/simulate/workload"
)

// boundCost is the time to bound a job, s, about.
const boundCost = 4e-4

// boundSlack is the share by which bounds are widened: a policy that collects all there is may end a
// rounding error above the bound otherwise.
const boundSlack = 1e-12

// The search for a quick bound on jobs that are drawn starts on a coarse grid and stops at
// a wide gap: the bounds are hardly above those of a validation, and take a tenth of the time.
const (
	quickGap  = 0.02
	quickGrid = 8 // pairs of a job and a cell of time, per job
)

const wholeJobs = "whole jobs"

// setConversion chooses the tightest view of the jobs for which a bound holds for all
// rows, or for those of both kinds.
func (x *Execution) setConversion() {
	partial := text.Count(x.Plan.Rows, func(row Row) bool { return row.Policy.Spec.Needs.Optional })
	b := x.Plan.Bounds
	switch both := b != nil && b.WholeOrPartial; {
	case partial == 0 && !both:
		x.convert, x.Serves = bound.Whole, wholeJobs
	case partial == len(x.Plan.Rows) && !both && !(b != nil && b.Quick):
		x.convert, x.Serves = bound.Partial, "partial results by the deadline"
	default:
		x.convert, x.Serves = bound.WholeOrPartial, "whole jobs, also late, or partial results by the deadline"
	}
}

// boundsAt returns how many cells of bounds a point has: none where none are wanted,
// or for a quick bound of a stream, and one where all replications have the same jobs.
func (x *Execution) boundsAt(point int, numbers [][]float64) int {
	b := x.Plan.Bounds
	if b == nil || b.None {
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
	first := x.Plan.RowsAt(point)[0]
	if x.Plan.Changes == nil || x.Plan.Rows[first].Admission.Priced() {
		return point
	}
	return slices.IndexFunc(x.Plan.Changes, func(c Change) bool {
		return !x.Plan.Rows[c.Rows[0]].Admission.Priced() &&
			slices.EqualFunc(c.Set, x.Plan.Changes[point].Set, func(a, b scenario.Override) bool {
				return a.Path == b.Path && a.Value == b.Value
			})
	})
}

// boundWaits reports whether the jobs of a point depend on prices that are not found yet.
func (x *Execution) boundWaits(point int, numbers [][]float64) bool {
	row := x.Plan.RowsAt(point)[0]
	_, ok := x.known(point, row, numbers)
	return x.Plan.Rows[row].Admission.Priced() && !ok
}

// boundedJobs returns the workload whose jobs are bounded: that of the first row.
func (x *Execution) boundedJobs(point int, numbers [][]float64) (workload.Workload, error) {
	at, err := x.ready(context.Background(), point)
	if err != nil {
		return nil, err
	}
	row := x.Plan.RowsAt(point)[0]
	a, ok := x.known(point, row, numbers)
	if !a.Priced() || !ok {
		return at.workload, nil
	}
	e, err := at.resolve(context.Background(), row, a)
	if err != nil {
		return nil, err
	}
	return e.Workload, nil
}

// runBounds returns the numbers of a cell of bounds. Of all admissions only those by price change the jobs, so that
// no other has to be found first.
func (x *Execution) runBounds(ctx context.Context, index int, at *point, replication int) ([]float64, error) {
	row := x.Plan.RowsAt(index)[0]
	var a run.Gate
	if x.Plan.Rows[row].Admission.Priced() {
		var err error
		a, err = x.admit(ctx, index, at, row)
		if err != nil {
			return nil, err
		}
	}
	e, err := at.resolve(ctx, row, a)
	if err != nil {
		return nil, err
	}
	if x.Plan.Bounds.Objective != "" {
		return cellOf(ctx, x, e.Workload, replication, x.boundDelays)
	}
	return cellOf(ctx, x, e.Workload, replication, x.boundPart)
}

// cellOf returns the bounds on all parts of a workload in a replication.
func cellOf[T bounding[T]](ctx context.Context, x *Execution, w workload.Workload, replication int,
	boundPart func(context.Context, run.Machine, int) (T, error),
) ([]float64, error) {
	var cell boundsCell[T]
	for g, p := range run.Machines(w) {
		part, err := boundPart(ctx, p, replication)
		if err != nil {
			return nil, err
		}
		if x.groups > 0 {
			cell.groups = append(cell.groups, part)
		}
		if g > 0 {
			part = cell.all.plus(part)
		}
		cell.all = part
	}
	if w.Pools() != nil { // jobs arrive in the same span in all pools, also those that none takes
		jobs, span, err := boundJobs(ctx, w, x.Plan.Seed, replication, x.convert)
		if err != nil {
			return nil, err
		}
		cell.all = cell.all.offering(offered{span, float64(len(jobs))})
	}
	return cell.numbers(x.groups), nil
}

// FluidRate returns the most that any policy earns on a stream, $/s, and whether it is known.
func FluidRate(w workload.Workload) (rate float64, ok bool) {
	for _, p := range run.Machines(w) {
		site := p.Sites()[0]
		r, err := bound.FluidRate(p.Customers(), float64(site.Processors))
		rate += r.Bound
		if err != nil {
			return 0, false
		}
	}
	return rate, true
}

// boundPart returns the bounds on the jobs of a part in a replication.
func (x *Execution) boundPart(ctx context.Context, p run.Machine, replication int) (valueBounds, error) {
	w, none := p.Workload, math.NaN()
	m := machineOf(w)
	b := valueBounds{fluid: none, clairvoyant: none, gap: none, indivisible: none, unpreempted: none, feasible: none}
	jobs, span, err := boundJobs(ctx, w, x.Plan.Seed, replication, x.convert)
	if err != nil {
		return b, err
	}
	b.offered = offered{span, float64(len(jobs))}
	if x.Plan.Bounds.Quick {
		o := bound.Options{Gap: x.Plan.Bounds.Gap}
		if w.Random() {
			o = bound.Options{Gap: quickGap, First: max(quickGrid*len(jobs), 1024)}
		}
		r, err := bound.Clairvoyant(ctx, jobs, m, o)
		b.clairvoyant, b.gap = r.Bound*(1+boundSlack), r.Gap+boundSlack
		return b, err
	}
	fluid, err := bound.Fluid(jobs, m)
	if err != nil {
		return b, err
	}
	best, err := bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: x.Plan.Bounds.Gap})
	if err != nil {
		return b, err
	}
	whole, err := bound.Indivisible(ctx, jobs, m, best)
	if err != nil {
		return b, err
	}
	b.fluid = fluid * (1 + boundSlack)
	b.clairvoyant, b.gap = best.Bound*(1+boundSlack), best.Gap+boundSlack
	b.indivisible = whole.Bound * (1 + boundSlack)
	if x.anyUnpreempted() && m.Capacity == float64(m.Nodes)*m.Speed {
		r, err := x.unpreempted(ctx, w, replication, jobs, m, best)
		if err != nil {
			return b, err
		}
		b.unpreempted, b.feasible = r.Bound*(1+boundSlack), r.Feasible
		if len(p.Group) > 1 { // such a schedule may use units of several pools for one job
			b.feasible = 0
		}
	}
	return b, nil
}

// unpreempted returns the bound for whole jobs that run once. It starts from the clairvoyant bound for
// whole jobs.
func (x *Execution) unpreempted(ctx context.Context, w workload.Workload, replication int, jobs []bound.Job,
	m bound.Machine, best bound.Result,
) (bound.Result, error) {
	if x.Serves != wholeJobs {
		var err error
		jobs, _, err = boundJobs(ctx, w, x.Plan.Seed, replication, bound.Whole)
		if err != nil {
			return best, err
		}
		best, err = bound.Clairvoyant(ctx, jobs, m, bound.Options{Gap: x.Plan.Bounds.Gap})
		if err != nil {
			return best, err
		}
	}
	return bound.Unpreempted(ctx, jobs, m, best)
}

// boundJobs returns the jobs of a replication as bounds see them, and their span, s.
func boundJobs(ctx context.Context, w workload.Workload, seed uint64, replication int,
	convert func(*simulate.Job) bound.Job) ([]bound.Job, float64, error) {
	if c, ok := w.(*workload.Classes); ok && c.Stream() == 0 { // a pool without jobs
		return nil, 0, nil
	}
	source, err := w.Jobs(seed, replication)
	if err != nil {
		return nil, 0, err
	}
	defer run.Close(source)
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

func machineOf(w workload.Workload) bound.Machine {
	sites := w.Sites()
	if !slices.ContainsFunc(sites, func(s workload.Site) bool { return s.Machines != nil }) {
		nodes := text.Sum(sites, func(s workload.Site) int { return s.Processors })
		m := bound.Uniform(nodes)
		if down := text.Join(sites, func(s workload.Site) []simulate.Outage { return s.Down }); down != nil {
			m.Up = bound.Levels(nodes, down)
		}
		return m
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

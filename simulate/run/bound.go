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
	"revopt/simulate/metric"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Bound is the proven bound on the jobs of a replication: what no policy exceeds, or goes below.
type Bound struct {
	On   string  `json:"on"`             // the name of an objective
	Jobs View    `json:"jobs,omitempty"` // what counts as served
	Gap  float64 `json:"gap,omitempty"`  // at which the search stops, relative; 0 is the usual one
}

// BoundFor returns the bound on an objective that holds for all policies.
func BoundFor(o Objective, policies []subject.Policy) Bound {
	b := Bound{On: o.Name}
	switch text.Count(policies, func(p subject.Policy) bool { return p.Spec.Needs.Optional }) {
	case 0:
	case len(policies):
		b.Jobs = PartialJobs
	default:
		b.Jobs = WholeOrPartial
	}
	return b
}

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

// The columns of bounds, of all jobs and of each group of pools that share jobs. A number that does not apply has no column.
const (
	BoundLimit  = "bound"        // $, or the sum of delays over the jobs that can run
	BoundGap    = "bound_gap"    // by how much at most that on the value exceeds the optimum of its own problem, relative
	BoundTasks  = "bound_tasks"  // how many jobs can run, of a bound on delays
	BoundLength = "bound_length" // s, lengths of these jobs
	BoundJobs   = "bound_jobs"   // jobs offered
)

// boundSlack is the share by which bounds are widened: a policy that collects all there is may end a rounding error
// above the bound otherwise.
const boundSlack = 1e-12

// bound returns the bound of a case. That on the machine is the sum over groups of pools that share nothing. Workers that
// are spare compute groups side by side.
func (l *Lab) bound(ctx context.Context, c Case) (Record, error) {
	at, err := l.point(ctx, c)
	if err != nil {
		return Record{}, err
	}
	w := at.workload
	r := Record{map[string]Columns{}}
	machines := machinesOf(w)
	parts, err := alongside(ctx, l.spare, len(machines), func(ctx context.Context, i int) (bounds, error) {
		if how := *c.Do.Bound; how.delays() {
			return delayBound(ctx, c, machines[i])
		}
		return valueBound(ctx, c, machines[i], l.spare)
	})
	if err != nil {
		return Record{}, err
	}
	all := parts[0]
	for i, p := range machines {
		if p.Group != nil {
			name := strings.Join(subject.PoolNames(w.Pools(), p.Group), "+")
			r.Groups[Pool(name)] = parts[i].columns()
		}
		if i > 0 {
			all = all.plus(parts[i])
		}
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

// delays reports whether the bound is one on waits or slowdowns.
func (b Bound) delays() bool { return b.On == Wait().Name || b.On == Slowdown().Name }

// boundable refuses bounds on jobs that have none.
func (at *point) boundable(how Bound) error {
	m := machineOf(at.workload)
	replay, replayed := at.subject.Workload.(*workload.Replay)
	switch {
	case how.delays() && (m.Speed != 1 || m.Capacity != float64(m.Nodes)):
		return at.subject.Misfit("expected units of speed 1: bounds on waits need jobs of one length on all units")
	case !how.delays() && replayed && !replay.Pays():
		return at.subject.Misfit("expected jobs with prices: without budgets there is no value to bound " +
			"(give qos, or classes with prices)")
	}
	return nil
}

// boundBytes is the memory of a job that is bounded, about.
const boundBytes = 4000

// affordBound refuses bounds on more jobs than fit into memory.
func (l *Lab) affordBound(ctx context.Context, w wanted) error {
	at, err := l.point(ctx, w.it)
	if err != nil {
		return err
	}
	size := at.workload.Size()
	return budget.Memory(ctx, size*boundBytes*sideBySide(l.o.Workers, w.n), "bounds on %s jobs ask for",
		text.Fixed(size, 0))
}

// bounds is the bound on a part of the jobs. A number that does not apply is not a number.
type bounds struct {
	limit, gap, tasks, length float64
	jobs                      float64 // offered
	span                      float64 // s, of arrivals
}

func (b bounds) columns() (c Columns) {
	c.Set(BoundLimit, b.limit)
	c.Set(BoundGap, b.gap)
	c.Set(BoundTasks, b.tasks)
	c.Set(BoundLength, b.length)
	c.Set(BoundJobs, b.jobs)
	c.Set(ColumnSpan, b.span)
	return c
}

// plus returns the bound on both parts.
func (b bounds) plus(o bounds) bounds {
	loose := o.gap*o.limit + b.gap*b.limit
	sum := bounds{limit: b.limit + o.limit, tasks: b.tasks + o.tasks, length: b.length + o.length, jobs: b.jobs + o.jobs,
		span: math.Max(b.span, o.span)}
	sum.gap = loose / math.Max(sum.limit, math.SmallestNonzeroFloat64)
	return sum
}

// valueBound returns the bound on the value of the jobs of a part of the machine, $.
func valueBound(ctx context.Context, c Case, p Machine, also *spare) (bounds, error) {
	how := *c.Do.Bound
	jobs, span, err := boundJobs(ctx, p.Workload, c, how.Jobs.convert())
	if err != nil {
		return bounds{}, err
	}
	best, err := bound.Clairvoyant(ctx, jobs, machineOf(p.Workload), bound.Options{Gap: how.Gap, Beside: also.each})
	return bounds{
		limit: best.Bound * (1 + boundSlack), gap: best.Gap + boundSlack, tasks: math.NaN(), length: math.NaN(),
		jobs: float64(len(jobs)), span: span,
	}, err
}

// delayBound returns the bound on the waits, or on the bounded slowdowns, of the jobs of a part of the machine.
func delayBound(ctx context.Context, c Case, p Machine) (bounds, error) {
	how, m := *c.Do.Bound, machineOf(p.Workload)
	var tasks []bound.Task
	var length, base float64
	jobs, span, err := boundJobs(ctx, p.Workload, c, func(j *simulate.Job) bound.Job {
		if !j.Void && j.Width <= m.Nodes { // no policy runs the others
			tasks = append(tasks, how.task(j))
			length += j.Work
		}
		return bound.Job{Release: j.Submit}
	})
	if err != nil {
		return bounds{}, err
	}
	if how.On == Slowdown().Name { // it is at least 1
		base = float64(len(tasks))
	}
	least, err := bound.Waits(ctx, tasks, m)
	return bounds{
		limit: (least + base) * (1 - boundSlack), gap: math.NaN(), tasks: float64(len(tasks)), length: length,
		jobs: float64(len(jobs)), span: span,
	}, err
}

// task returns a job as a task whose weighted delay is the objective.
func (b Bound) task(j *simulate.Job) bound.Task {
	t := bound.Task{Release: j.Submit, Length: j.Work, Width: j.Width, Weight: 1}
	if b.On == Slowdown().Name {
		least := math.Max(j.Work, metric.ShortestBounded)
		t.Grace, t.Weight = least-j.Work, 1/least
	}
	return t
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
	jobs, err := bound.Collect(ctx, source, convert)
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

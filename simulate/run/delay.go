package run

import (
	"context"
	"math"

	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
)

// The columns of bounds on delays. All are sums over the jobs that can run; those on unpreempted schedules have the
// names of the bounds on the value.
const (
	DelayTasks    = "delay_tasks"    // how many jobs can run
	DelayLeast    = "delay_least"    // the bound
	DelayLength   = "delay_length"   // s, lengths of these jobs
	DelayFeasible = "delay_feasible" // what a schedule of the relaxed problem reaches
)

// delayBounds is what no policy can go below. A number that does not apply is not a number.
type delayBounds struct {
	tasks, least, length, feasible float64
	once                           float64
	jobs, span                     float64 // offered; of arrivals
}

func (b delayBounds) columns() (c Columns) {
	c.Set(DelayTasks, b.tasks)
	c.Set(DelayLeast, b.least)
	c.Set(DelayLength, b.length)
	c.Set(DelayFeasible, b.feasible)
	c.Set(BoundUnpreempted, b.once)
	c.Set(BoundJobs, b.jobs)
	c.Set(ColumnSpan, b.span)
	return c
}

func (b delayBounds) plus(o delayBounds) delayBounds {
	return delayBounds{
		tasks: b.tasks + o.tasks, least: b.least + o.least, length: b.length + o.length,
		feasible: b.feasible + o.feasible, once: b.once + o.once,
		jobs: b.jobs + o.jobs, span: math.Max(b.span, o.span),
	}
}

// delayBound returns the bounds on the waits, or on the bounded slowdowns, of the jobs of a part of the machine.
func delayBound(ctx context.Context, c Case, p Machine, _ *spare) (delayBounds, error) {
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
		return delayBounds{}, err
	}
	if how.On == Slowdown().Name { // it is at least 1
		base = float64(len(tasks))
	}
	none := math.NaN()
	b := delayBounds{tasks: float64(len(tasks)), least: none, length: length, feasible: none, once: none,
		jobs: float64(len(jobs)), span: span}
	best, err := bound.Waits(ctx, tasks, m)
	b.least, b.feasible = (best.Bound+base)*(1-boundSlack), best.Feasible+base
	if err != nil || how.Quick || !how.Once || m.Speed != 1 || m.Capacity != float64(m.Nodes) {
		return b, err
	}
	once, err := bound.UnpreemptedWaits(ctx, tasks, m, best)
	b.once = (once.Bound + base) * (1 - boundSlack)
	return b, err
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

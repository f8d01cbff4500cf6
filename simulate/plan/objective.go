package plan

import (
	"cmp"
	"context"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/experiment"
	"revopt/simulate/metric"
)

// The objectives of a validation. Value is to be large, and "" stands for it in a plan. The
// others are to be small: response less length, and bounded slowdown. Their bounds hold for rows
// that run every job; that for policies without preemption has the name of the one on value.
const (
	ObjectiveValue    = "value"
	ObjectiveWait     = "wait"
	ObjectiveSlowdown = "slowdown"
)

// ObjectiveUnit returns the unit of an objective that is to be small, "" for value.
func ObjectiveUnit(objective string) string {
	return map[string]string{ObjectiveWait: "s", ObjectiveSlowdown: "1"}[objective]
}

// BusyTimeBound is the least mean of an objective that is to be small, see bound.Waits.
const BusyTimeBound = "busy-time"

// Objective returns the objective that bounds are on, "" for value or without bounds.
func (p *Plan) Objective() string {
	if p.Bounds == nil {
		return ""
	}
	return p.Bounds.Objective
}

// boundDelays returns the bounds on the jobs of a part, of an objective that is to be small.
func (x *Execution) boundDelays(ctx context.Context, p experiment.Machine, replication int) (delayBounds, error) {
	m := machineOf(p.Workload)
	var tasks []bound.Task
	var length, base float64
	jobs, span, err := boundJobs(ctx, p.Workload, x.Plan.Seed, replication, func(j *simulate.Job) bound.Job {
		t := bound.Task{Release: j.Submit, Length: j.Work, Width: j.Width, Weight: 1}
		if x.Plan.Bounds.Objective == ObjectiveSlowdown {
			least := math.Max(j.Work, metric.ShortestBounded)
			t.Grace, t.Weight = least-j.Work, 1/least
		}
		if !j.Void && j.Width <= m.Nodes { // no policy runs the others
			tasks, length = append(tasks, t), length+j.Work
		}
		return bound.Job{Release: j.Submit}
	})
	if err != nil {
		return delayBounds{}, err
	}
	if x.Plan.Bounds.Objective == ObjectiveSlowdown { // it is at least 1
		base = float64(len(tasks))
	}
	if rent := p.Sites()[0].Rent; rent != nil { // rented units run jobs like nodes of the machine
		most := text.Sum(tasks, func(t bound.Task) int { return t.Width })
		m = m.Plus(min(cmp.Or(rent.Limit, most), most))
	}
	d, err := bound.Waits(ctx, tasks, m)
	b := delayBounds{
		tasks: float64(len(tasks)), least: (d.Bound + base) * (1 - boundSlack), length: length,
		feasible: d.Feasible + base, once: math.NaN(), found: math.NaN(),
		offered: offered{span, float64(len(jobs))},
	}
	if err != nil || !x.anyUnpreempted() || m.Speed != 1 || m.Capacity != float64(m.Nodes) {
		return b, err
	}
	d, err = bound.UnpreemptedWaits(ctx, tasks, m, d)
	b.once, b.found = (d.Bound+base)*(1-boundSlack), d.Feasible+base
	if len(p.Group) > 1 { // such a schedule may use units of several pools for one job
		b.found = math.Inf(1)
	}
	return b, err
}

// anyUnpreempted reports whether some policy runs every job once, whole, on processors of its own.
func (x *Execution) anyUnpreempted() bool {
	return slices.ContainsFunc(x.Plan.Rows, func(r Row) bool { return r.Policy.Unpreempted() })
}

// setObjective makes the point one of an objective that is to be small: rows deliver its mean
// over all jobs in some columns of the samples, and nothing if they did not run all of them in
// every replication.
func (p *BoundedPoint) setObjective(objective string, cells []delayBounds, columns func(Outcome) []int) {
	p.small = true
	measure, _ := metric.Lookup("mean_bounded_slowdown")
	if objective == ObjectiveWait {
		measure, _ = metric.Lookup("mean_response_time")
	}
	completed, _ := metric.Lookup("jobs_completed")
	b, once := Bound{Name: BusyTimeBound}, Bound{Name: UnpreemptedBound}
	for k, values := range cells {
		least := values.least
		feasible := values.feasible
		tasks := values.tasks
		p.Jobs = append(p.Jobs, int(values.jobs))
		b.Total = append(b.Total, least/tasks)
		rounding := 0.0 // of sums of responses
		if objective == ObjectiveWait {
			rounding = 1e-12 * values.length
		}
		gap := func(feasible, least float64) float64 {
			return math.Max(0, feasible-least-rounding) / math.Max(feasible, math.SmallestNonzeroFloat64)
		}
		b.Gap = append(b.Gap, gap(feasible, least))
		for i := range p.Rows {
			row := &p.Rows[i]
			if k == 0 {
				row.Delivered = make([]float64, len(cells))
			}
			var ran, sum float64
			for _, c := range columns(row.Outcome) {
				if n := row.Plain(completed, c)[k]; n > 0 {
					ran, sum = ran+n, sum+n*row.Plain(measure, c)[k]
				}
			}
			if objective == ObjectiveWait {
				sum -= values.length
				if sum < rounding {
					sum = 0
				}
			}
			row.Delivered[k] = sum / tasks
			if ran != tasks || row.partial {
				row.Delivered[k] = math.NaN()
			}
		}
		if !math.IsNaN(values.once) {
			found := values.found / tasks
			for _, row := range p.Rows { // the schedule of a policy counts as well
				if row.unpreempted && row.Delivered[k] < found {
					found = row.Delivered[k]
				}
			}
			once.Total, once.Found = append(once.Total, values.once/tasks), append(once.Found, found)
			once.Gap = append(once.Gap, gap(found*tasks, values.once))
		}
	}
	for i := range p.Rows {
		row := &p.Rows[i]
		if slices.ContainsFunc(row.Delivered, math.IsNaN) { // the replications without are not a fair sample
			row.Delivered = slices.Repeat([]float64{math.NaN()}, len(cells))
		}
		row.Charged = row.Delivered
	}
	p.Bounds = []Bound{b}
	if once.Total != nil {
		p.Bounds = append(p.Bounds, once)
	}
}

// reached returns how much of a bound row i reaches, by replication: all of it at 1.
func (p *BoundedPoint) reached(i int, bound []float64) []float64 {
	got := p.Rows[i].Delivered
	if !p.small {
		return shares(got, bound)
	}
	return text.EachAt(shares(bound, got), func(k int, x float64) float64 {
		if got[k] == 0 { // nothing waits
			return 1
		}
		return x
	})
}

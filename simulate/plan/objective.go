package plan

import (
	"cmp"
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/bound"
	"revopt/simulate/metric"
	"revopt/simulate/run"
)

// The objectives, see package scenario. Value is to be large, and "" stands for it in a plan. The
// others are to be small: response less length, and bounded slowdown. Their bounds hold for rows
// that run every job; that for policies without preemption has the name of the one on value.
const (
	ObjectiveValue    = scenario.ObjectiveValue
	ObjectiveWait     = scenario.ObjectiveWait
	ObjectiveSlowdown = scenario.ObjectiveSlowdown
)

// ObjectiveMeasure returns the measure that an objective is about, per second for the value.
func ObjectiveMeasure(objective string) metric.Measure {
	switch objective {
	case ObjectiveWait:
		return metric.TotalWait()
	case ObjectiveSlowdown:
		return metric.BoundedSlowdown()
	}
	return metric.ValuePerSecond()
}

// Merit returns a mean of an objective with the sign that makes more of it better.
func Merit(objective string, mean float64) float64 {
	if ObjectiveUnit(objective) != "" {
		return -mean
	}
	return mean
}

// Gains returns by how much some means of an objective are better than others, by replication.
func Gains(objective string, means, than []float64) []float64 {
	return text.Each(metric.Less(means, than), func(d float64) float64 { return Merit(objective, d) })
}

// Gain returns by how much an outcome is better than another one on the same jobs, by an objective.
func (o Outcome) Gain(objective string, over Outcome) metric.Interval {
	m := ObjectiveMeasure(objective)
	if Merit(objective, 1) < 0 {
		return over.Difference(o, m, -1)
	}
	return o.Difference(over, m, -1)
}

// comparing returns the measures that rows are compared by, those of jobs that run among them; none for the value.
func (p *Plan) comparing() []metric.Measure {
	if p.CompareBy == "" {
		return nil
	}
	list := append([]metric.Measure{ObjectiveMeasure(p.CompareBy)}, runMeasures()...)
	if response, _ := metric.Lookup("mean_response_time"); p.Bounds != nil { // see setObjective
		list = append(list, response)
	}
	return list
}

// runMeasures are jobs submitted, those of them that never ran in a log, and jobs completed.
func runMeasures() []metric.Measure {
	names := []string{"jobs_submitted", "rejected_never_ran", "jobs_completed"}
	return text.Each(names, func(name string) metric.Measure {
		m, _ := metric.Lookup(name)
		return m
	})
}

// NotRun returns the share of jobs that were not completed, by replication. Jobs that never ran in a log do not count.
func (o Outcome) NotRun() []float64 {
	list := text.Each(runMeasures(), func(m metric.Measure) []float64 { return o.Plain(m, -1) })
	return text.EachAt(list[0], func(k int, submitted float64) float64 {
		due := submitted - list[1][k]
		if due <= 0 {
			return 0
		}
		return 1 - list[2][k]/due
	})
}

// RunsFewer reports whether an outcome runs a smaller share of its jobs than another one, on average over replications.
// Its mean wait and slowdown are then those of a part of the jobs: they are not compared.
func (o Outcome) RunsFewer(than Outcome) bool {
	return MoreNotRun(stat.Mean(o.NotRun(), nil), stat.Mean(than.NotRun(), nil))
}

// MoreNotRun reports whether a share of jobs that were not completed is larger than another, beyond rounding errors.
func MoreNotRun(share, than float64) bool { return share > than+1e-9 }

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
func (x *Execution) boundDelays(ctx context.Context, p run.Machine, replication int) (delayBounds, error) {
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
	d, err := bound.Waits(ctx, tasks, m)
	b := delayBounds{
		tasks: float64(len(tasks)), least: (d.Bound + base) * (1 - boundSlack), length: length,
		feasible: d.Feasible + base, once: math.NaN(), found: math.NaN(),
		offered: offered{span, float64(len(jobs))},
	}
	if err != nil || x.Plan.Bounds.Quick || !x.anyUnpreempted() || m.Speed != 1 || m.Capacity != float64(m.Nodes) {
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
	delivered := text.Each(p.Rows, func(row BoundedRow) []float64 {
		if row.partial {
			return slices.Repeat([]float64{math.NaN()}, len(cells))
		}
		return objectiveMeans(objective, cells, row.Outcome, columns(row.Outcome))
	})
	b, once := Bound{Name: BusyTimeBound}, Bound{Name: UnpreemptedBound}
	for k, values := range cells {
		tasks := values.tasks
		p.Jobs = append(p.Jobs, int(values.jobs))
		b.Total = append(b.Total, values.least/tasks)
		gap := func(feasible, least float64) float64 {
			return math.Max(0, feasible-least-values.rounding(objective)) /
				math.Max(feasible, math.SmallestNonzeroFloat64)
		}
		b.Gap = append(b.Gap, gap(values.feasible, values.least))
		if !math.IsNaN(values.once) {
			found := values.found / tasks
			for i, row := range p.Rows { // the schedule of a policy counts as well
				if row.unpreempted && delivered[i][k] < found {
					found = delivered[i][k]
				}
			}
			once.Total, once.Found = append(once.Total, values.once/tasks), append(once.Found, found)
			once.Gap = append(once.Gap, gap(found*tasks, values.once))
		}
	}
	for i := range p.Rows {
		p.Rows[i].Delivered = fairly(delivered[i])
		p.Rows[i].Charged = p.Rows[i].Delivered
	}
	p.means = func(o Outcome) []float64 { return fairly(objectiveMeans(objective, cells, o, columns(o))) }
	p.Bounds = []Bound{b}
	if once.Total != nil {
		p.Bounds = append(p.Bounds, once)
	}
}

// rounding returns the error of sums of responses.
func (b delayBounds) rounding(objective string) float64 {
	if objective == ObjectiveWait {
		return 1e-12 * b.length
	}
	return 0
}

// objectiveMeans returns the mean of an objective over all jobs in some columns of an outcome, by replication; NaN if
// not all of them ran.
func objectiveMeans(objective string, cells []delayBounds, o Outcome, columns []int) []float64 {
	measure := metric.BoundedSlowdown()
	if objective == ObjectiveWait {
		measure, _ = metric.Lookup("mean_response_time")
	}
	completed, _ := metric.Lookup("jobs_completed")
	means := make([]float64, len(cells))
	for k, values := range cells {
		var ran, sum float64
		for _, c := range columns {
			if n := o.Plain(completed, c)[k]; n > 0 {
				ran, sum = ran+n, sum+n*o.Plain(measure, c)[k]
			}
		}
		if objective == ObjectiveWait {
			sum -= values.length
			if sum < values.rounding(objective) {
				sum = 0
			}
		}
		means[k] = sum / values.tasks
		if ran != values.tasks {
			means[k] = math.NaN()
		}
	}
	return means
}

// fairly returns means, nothing if one is missing: the replications without are not a fair sample.
func fairly(means []float64) []float64 {
	if slices.ContainsFunc(means, math.IsNaN) {
		return slices.Repeat([]float64{math.NaN()}, len(means))
	}
	return means
}

// Reached returns the interval of the bound as a share of what an outcome on the same jobs reaches of an objective
// that is to be small; nothing if it did not run all jobs.
func (p *BoundedPoint) Reached(o Outcome) metric.Interval {
	return p.Estimate(reached(p.means(o), p.Best()))
}

// reached returns how much of a bound row i reaches, by replication: all of it at 1.
func (p *BoundedPoint) reached(i int, bound []float64) []float64 {
	if got := p.Rows[i].Delivered; !p.small {
		return shares(got, bound)
	}
	return reached(p.Rows[i].Delivered, bound)
}

// reached returns a bound from below as a share of means, by replication.
func reached(got, bound []float64) []float64 {
	return text.EachAt(shares(bound, got), func(k int, x float64) float64 {
		if got[k] == 0 { // nothing waits
			return 1
		}
		return x
	})
}

// Ranking is the rows of a point by an objective.
type Ranking struct {
	Rows  []int             // best first
	Left  []int             // that are not compared: they run a smaller share of the jobs than others
	Tied  bool              // the first two may differ by chance
	Means []metric.Interval // of the objective, by row
}

// Rank ranks the rows of a point of a sweep by the objective of the plan. Rows that run a smaller share of the jobs
// than another one are not compared if the objective is a mean over the jobs that run.
func (s *Samples) Rank(point int) Ranking {
	objective := s.Plan().CompareBy
	measure := ObjectiveMeasure(objective)
	outcomes := text.Each(s.Plan().RowsAt(point), func(row int) Outcome { return s.Row(point, row) })
	r := Ranking{Means: text.Each(outcomes, func(o Outcome) metric.Interval { return o.Interval(measure, -1) })}
	for i, o := range outcomes {
		if objective != "" && slices.ContainsFunc(outcomes, o.RunsFewer) || math.IsNaN(r.Means[i].Mean) {
			r.Left = append(r.Left, i)
		} else {
			r.Rows = append(r.Rows, i)
		}
	}
	merit := func(row int) float64 { return Merit(objective, r.Means[row].Mean) }
	slices.SortStableFunc(r.Rows, func(a, b int) int { return cmp.Compare(merit(b), merit(a)) })
	if len(r.Rows) > 1 {
		first, second := outcomes[r.Rows[0]], outcomes[r.Rows[1]]
		d := first.Difference(second, measure, -1)
		r.Tied = d.Mean == 0 || first.N() > 1 && d.Contains(0)
	}
	return r
}

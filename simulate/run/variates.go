package run

import (
	"cmp"
	"slices"

	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Control variates are used where the means are exact: a stream of job classes
// with Poisson arrivals whose window is a number of jobs or a time. Shorter
// replications than this do without: what a policy makes of more jobs is no longer
// nearly linear over the range of their luck, and the rest is not normal.
const controlledJobs = 1000

// ownJobs is how many jobs of a customer are in a batch for a control of its own, and ownMost how many
// customers have one: those that offer most.
const (
	ownJobs     = 5
	ownMost     = 4
	maxControls = 2 + ownMost
)

// Variates returns the control variates of an experiment, nil where it has none.
func (e *Experiment) Variates() *metric.Variates {
	c, ok := e.Workload.(*workload.Classes)
	if !ok || e.Plain || e.Providers != nil || c.Pools() != nil { // the means are those of a single site
		return nil
	}
	jobs, price, work, ok := c.Means()
	w := c.Window()
	byJobs := w.Jobs > 0 && w.Horizon == 0 && w.WarmupTime == 0
	byTime := w.Horizon > 0 && w.Jobs == 0 && w.WarmupJobs == 0
	if !ok || !byJobs && !byTime {
		return nil
	}
	v := &metric.Variates{Lots: e.Lots(), Price: price, Work: work, Window: w}
	seconds := measuredSeconds(c)
	var all float64
	for i := range jobs {
		if v.Lots != nil {
			jobs[i] = v.Lots[i] * jobs[i]
			price[i] = v.Lots[i] * price[i]
			work[i] = v.Lots[i] * work[i]
		}
		all += jobs[i] * seconds
		if jobs[i]*seconds >= ownJobs*metric.Batches && price[i] > 0 {
			v.Own = append(v.Own, i)
		}
	}
	if all < controlledJobs {
		return nil
	}
	slices.SortStableFunc(v.Own, func(a, b int) int { return cmp.Compare(price[b], price[a]) })
	v.Own = v.Own[:min(len(v.Own), ownMost)]
	return v
}

// measuredSeconds returns how long the jobs that are measured arrive, on average.
func measuredSeconds(c *workload.Classes) float64 {
	switch w := c.Window(); {
	case w.Jobs > 0:
		return float64(w.Jobs-w.WarmupJobs) / c.Stream()
	case w.Horizon > 0:
		return w.Horizon - w.WarmupTime
	}
	return c.Size() / c.Stream() // all jobs are
}

// Lots returns the probability to let in a job of each customer at any queue, nil for 1.
func (e *Experiment) Lots() []float64 {
	switch r := e.Admission.Rule.(type) {
	case nil:
		return e.Admission.Admit
	case agent.Thresholds:
		return r.Share
	case agent.Lottery:
		return r
	}
	return nil
}

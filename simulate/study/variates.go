package study

import (
	"cmp"
	"slices"

	"revopt/internal/text"
	"revopt/simulate"
	"revopt/simulate/metric"
	"revopt/simulate/workload"
)

// Control variates are used where the means are exact: a stream of job classes
// with Poisson arrivals whose window is a number of jobs or a time. Shorter
// replications than this do without: what a policy makes of more jobs is no longer
// nearly linear over the range of their luck, and the rest is not normal.
const controlledJobs = 1000

// ownJobs is how many jobs of a customer there are in a batch, on average, for a
// control of its own, and ownMost how many customers have one: those that offer
// most.
const (
	ownJobs     = 5
	ownMost     = 4
	maxControls = 2 + ownMost
)

// variates returns the control variates of an experiment, nil where it has none.
func (e *Experiment) variates() *metric.Variates {
	c, ok := e.Workload.(*workload.Classes)
	if !ok || e.Plain || e.Providers != nil { // the means are those of a single site
		return nil
	}
	jobs, price, work, ok := c.Means()
	w := c.Window()
	byJobs := w.Jobs > 0 && w.Horizon == 0 && w.WarmupTime == 0
	byTime := w.Horizon > 0 && w.Jobs == 0 && w.WarmupJobs == 0
	if !ok || !byJobs && !byTime {
		return nil
	}
	v := &metric.Variates{Lots: e.lots(), Price: price, Work: work, Window: w}
	seconds := w.Horizon - w.WarmupTime
	if byJobs {
		seconds = float64(w.Jobs-w.WarmupJobs) / c.Stream()
	}
	var all float64
	for i := range jobs {
		if v.Lots != nil {
			jobs[i], price[i], work[i] = v.Lots[i]*jobs[i], v.Lots[i]*price[i], v.Lots[i]*work[i]
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

// lots returns the probability by which a job of each customer is let in whatever
// the queue is, nil for 1.
func (e *Experiment) lots() []float64 {
	switch r := e.Admission.Rule.(type) {
	case nil:
		return e.Admission.Admit
	case simulate.Thresholds:
		return r.Share
	case simulate.Lottery:
		return r
	}
	return nil
}

// VariateWords says how many times smaller control variates make the variance of a
// measure in the rows of a result, "" where there are none. The name is that which
// readers know the measure by.
func (r *Result) VariateWords(measure, name string) string {
	var list []float64
	for _, row := range r.Policies {
		if x := float64(row.Total.Get(measure).Reduced); x > 0 {
			list = append(list, x)
		}
	}
	if list == nil {
		return ""
	}
	times := func(x float64) string { return text.Fixed(x, text.Digits(x, 2)) }
	least, most := slices.Min(list), slices.Max(list)
	words := "reduced " + times(least) + " to " + times(most) + " times"
	switch {
	case most < 1.05:
		words = "not reduced"
	case least < 1.05:
		words = "reduced up to " + times(most) + " times"
	case times(least) == times(most):
		words = "reduced " + times(most) + " times"
	}
	return "control variates: variance of " + name + " " + words + " (--plain: without)"
}

package metric

import (
	"math"
	"sync"

	"revopt/simulate"
)

// Measure is a figure of merit of a customer or of all jobs. It has one name and
// one meaning on every workload. A measure that no job defines (a mean wait where
// none started, say) is NaN.
type Measure struct {
	Name  string // as in JSON and CSV
	Unit  string // $, $/s, s, jobs; 1 for a ratio
	Of    func(Sum) float64
	Plain bool // control variates leave it alone: a count or a quantile
}

// measure returns one that control variates may improve.
func measure(name, unit string, value func(Sum) float64) Measure {
	return Measure{Name: name, Unit: unit, Of: value}
}

func count(name string, value func(Sum) int64) Measure {
	return Measure{name, "jobs", func(s Sum) float64 { return float64(value(s)) }, true}
}

// Measures returns all measures. Money charged is revenue, value delivered is
// value; docs/simulation.md defines each.
func Measures() []Measure {
	list := []Measure{
		RevenuePerSecond(),
		measure("revenue_per_submitted", "$", func(s Sum) float64 { return s.Revenue / float64(s.Submitted) }),
		measure("revenue_per_job", "$", func(s Sum) float64 { return s.Revenue / float64(s.Admitted) }),
		measure("revenue_per_completed", "$", func(s Sum) float64 { return s.Revenue / float64(s.Ended) }),
		ValuePerSecond(),
		Utility(),
		measure("price_total", "$", func(s Sum) float64 { return s.Offered }),
		measure("utilization", "1", func(s Sum) float64 { return s.Delivered / s.Capacity }),
		measure("lost_share", "1", func(s Sum) float64 { return s.Lost / s.Delivered }),
		measure("acceptance", "1", func(s Sum) float64 { return float64(s.Admitted) / float64(s.Submitted) }),
		measure("expired_share", "1", func(s Sum) float64 { return float64(s.Expired) / float64(s.Admitted) }),
		JobQoSSatisfaction(),
		ClusterProfitability(),
		MeanWait(),
		measure("mean_delay", "s", func(s Sum) float64 { return s.delay() }),
		measure("mean_lateness", "s", func(s Sum) float64 { return s.Lateness / float64(s.Finished) }),
		measure("mean_response_time", "s", func(s Sum) float64 { return s.Response / float64(s.Ended) }),
		measure("mean_slowdown", "1", func(s Sum) float64 { return s.Slowdown / float64(s.Ended) }),
		BoundedSlowdown(),
		measure("promise_kept", "1", func(s Sum) float64 { return float64(s.Punctual) / float64(s.Promised) }),
		measure("promise_kept_of_admitted", "1", func(s Sum) float64 {
			return float64(s.Punctual) / float64(s.PromisedAdmitted)
		}),
		count("jobs_submitted", func(s Sum) int64 { return s.Submitted }),
		count("jobs_admitted", func(s Sum) int64 { return s.Admitted }),
		count("jobs_completed", func(s Sum) int64 { return s.Completed }),
		count("jobs_rejected", func(s Sum) int64 { return s.Rejected }),
		count("jobs_given_up", func(s Sum) int64 { return s.GivenUp }),
		count("jobs_killed", func(s Sum) int64 { return s.Killed }),
		count("jobs_expired", func(s Sum) int64 { return s.Expired }),
		count("jobs_late", func(s Sum) int64 { return s.Late }),
		count("preemptions", func(s Sum) int64 { return s.Preemptions }),
		count("jobs_overcharged", func(s Sum) int64 { return s.Overcharged }),
	}
	// known returns a value of some jobs or users, NaN if there are none.
	known := func(x float64, count int64) float64 {
		if count == 0 {
			return math.NaN()
		}
		return x
	}
	list = append(list,
		Measure{"makespan", "s", func(s Sum) float64 { return known(s.Makespan, s.Ended+s.Killed) }, true},
		Measure{"user_gini", "1", func(s Sum) float64 { return known(s.Gini, s.Users) }, true},
		Measure{"user_jain", "1", func(s Sum) float64 { return known(s.Jain, s.Users) }, true})
	for i, name := range QuantileNames() {
		list = append(list, Measure{name, "s", func(s Sum) float64 { return s.Waits[i] }, true})
	}
	return append(list, rejections()...)
}

// rejections returns how many jobs are rejected, by reason.
func rejections() (list []Measure) {
	for _, r := range []struct {
		name   string
		reason simulate.Reason
	}{
		{"rejected_admission", simulate.Refused},
		{"rejected_resources", simulate.Resources},
		{"rejected_deadline", simulate.Deadline},
		{"rejected_budget", simulate.Budget},
		{"rejected_return", simulate.Return},
		{"rejected_lapsed", simulate.Lapsed},
		{"rejected_never_ran", simulate.NeverRan},
		{"rejected_no_pool", simulate.NoPool},
	} {
		list = append(list, count(r.name, func(s Sum) int64 { return s.Reasons[r.reason] }))
	}
	return list
}

// delay is the mean of what the first edition called the delay: the wait of jobs
// without deadlines, the lateness of jobs with them.
func (s Sum) delay() float64 {
	if s.ByWait {
		return MeanWait().Of(s)
	}
	return s.Lateness / float64(s.Finished)
}

// RevenuePerSecond is the money charged to measured jobs over the span of arrivals.
func RevenuePerSecond() Measure {
	return measure("revenue_per_second", "$/s", func(s Sum) float64 { return PerSecond(s.Revenue, s.Span) })
}

// ValuePerSecond is the value delivered over the span of arrivals.
func ValuePerSecond() Measure {
	return measure("value_per_second", "$/s", func(s Sum) float64 { return PerSecond(s.Value, s.Span) })
}

// PerSecond returns money over the span of arrivals, s. It is 0 without money, even if
// the span is 0 because all jobs are refused at one instant.
func PerSecond(money, span float64) float64 {
	if money == 0 {
		return 0
	}
	return money / span
}

// Utility is the value delivered, $: what the jobs that ended were worth, less
// the floors of those that gave up. See simulate.Job.Worth.
func Utility() Measure {
	return measure("utility", "$", func(s Sum) float64 { return s.Value })
}

// MeanWait is start less submission, over jobs that started. Jobs that share
// nodes start at once: look at the slowdown beside it.
func MeanWait() Measure {
	return measure("mean_wait", "s", func(s Sum) float64 { return s.Wait / float64(s.Started) })
}

// TotalWait is response less length, over jobs that ended: also the wait of jobs that are interrupted or share nodes.
// If jobs run once on nodes of their own it is MeanWait. It is measured where it is asked for, and not one of
// Measures.
func TotalWait() Measure {
	return measure("mean_total_wait", "s", func(s Sum) float64 { return s.Waited / float64(s.Ended) })
}

// BoundedSlowdown is max(1, response / max(length, ShortestBounded)), over jobs that ended.
func BoundedSlowdown() Measure {
	return measure("mean_bounded_slowdown", "1", func(s Sum) float64 { return s.BoundedSlowdown / float64(s.Ended) })
}

// JobQoSSatisfaction is the share of submitted jobs with a deadline that ended
// by it, nQoS/n. Yeo and Buyya (2007), (7).
func JobQoSSatisfaction() Measure {
	return measure("job_qos_satisfaction", "1", func(s Sum) float64 { return float64(s.Kept) / float64(s.Dated) })
}

// ClusterProfitability is the money charged to jobs that ended in time over the
// prices of all submitted jobs. Yeo and Buyya (2007), (8).
func ClusterProfitability() Measure {
	return measure("cluster_profitability", "1", func(s Sum) float64 { return s.Profit / s.Offered })
}

// lookedUp is the list in which Lookup looks.
var lookedUp = sync.OnceValue(Measures)

// Lookup returns the measure of the given name.
func Lookup(name string) (Measure, bool) {
	if name == "value_total" {
		name = "utility"
	}
	for _, m := range lookedUp() {
		if m.Name == name {
			return m, true
		}
	}
	return Measure{}, false
}

package metric

import (
	"math"
	"sync"

	"revopt/simulate"
)

// The units of measures.
const (
	PerHour = "$/h"
	Dollars = "$"
	Seconds = "s"
	Share   = "1"     // of a whole
	Ratio   = "ratio" // a number without a unit that may exceed 1
	Count   = "jobs"
)

// Hour is an hour, s.
const Hour = 3600

// Indicator returns 1 for true.
func Indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// Measure is a figure of merit of all jobs, or of those of a group. It has one name and one meaning on every workload.
type Measure struct {
	Name  string
	Unit  string
	Means string // in a few words

	Of func(Sum) float64 // not a number where no job defines it
}

func count(name, means string, value func(Sum) int64) Measure {
	return Measure{name, Count, means, func(s Sum) float64 { return float64(value(s)) }}
}

// Measures returns all measures in the order of tables. Money charged is revenue, value delivered is value;
// docs/simulation.md defines each.
func Measures() []Measure { return measures }

var measures = []Measure{
	{"value", PerHour, "value delivered", func(s Sum) float64 { return Hour * PerSecond(s.Value, s.Span) }},
	{"revenue", PerHour, "money charged",
		func(s Sum) float64 { return Hour * PerSecond(s.Revenue, s.Span) }},
	{"value_total", Dollars, "value delivered in all", func(s Sum) float64 { return s.Value }},
	{"revenue_per_job", Dollars, "money charged per admitted job",
		func(s Sum) float64 { return s.Revenue / float64(s.Admitted) }},
	{"revenue_per_submitted", Dollars, "money charged per submitted job",
		func(s Sum) float64 { return s.Revenue / float64(s.Submitted) }},
	{"revenue_per_completed", Dollars, "money charged per job that ended",
		func(s Sum) float64 { return s.Revenue / float64(s.Ended) }},
	{"price_total", Dollars, "prices of the submitted jobs", func(s Sum) float64 { return s.Offered }},
	{"mean_wait", Seconds, "start less submission, of jobs that started",
		func(s Sum) float64 { return s.Wait / float64(s.Started) }},
	{"wait_median", Seconds, "wait that half of the jobs do not exceed",
		func(s Sum) float64 { return s.Waits[0] }},
	{"wait_90", Seconds, "wait that 90 % of the jobs do not exceed",
		func(s Sum) float64 { return s.Waits[1] }},
	{"wait_99", Seconds, "wait that 99 % of the jobs do not exceed",
		func(s Sum) float64 { return s.Waits[2] }},
	{"mean_lateness", Seconds, "time past the deadline, of ended jobs with one",
		func(s Sum) float64 { return s.Lateness / float64(s.Finished) }},
	{"mean_response_time", Seconds, "end less submission, of jobs that ended",
		func(s Sum) float64 { return s.Response / float64(s.Ended) }},
	{"mean_slowdown", Ratio, "response over length, of jobs that ended",
		func(s Sum) float64 { return s.Slowdown / float64(s.Ended) }},
	{"slowdown", Ratio, "the same with lengths of at least 10 s, and at least 1",
		func(s Sum) float64 { return s.BoundedSlowdown / float64(s.Ended) }},
	// Yeo and Buyya (2007), (7).
	{"kept", Share, "ended by their deadline, of jobs submitted with one",
		func(s Sum) float64 { return float64(s.Kept) / float64(s.Dated) }},
	{"promise_kept", Share, "within their promise, of jobs submitted with one",
		func(s Sum) float64 { return float64(s.Punctual) / float64(s.Promised) }},
	{"promise_kept_of_admitted", Share, "the same, of jobs admitted with one",
		func(s Sum) float64 { return float64(s.Punctual) / float64(s.PromisedAdmitted) }},
	// Yeo and Buyya (2007), (8).
	{"profitability", Share, "money of jobs in time over prices of submitted jobs",
		func(s Sum) float64 { return s.Profit / s.Offered }},
	{"admitted", Share, "let in, of submitted jobs",
		func(s Sum) float64 { return float64(s.Admitted) / float64(s.Submitted) }},
	{"utilization", Share, "work over units up, while jobs are observed",
		func(s Sum) float64 { return s.Delivered / s.Capacity }},
	{"lost_share", Share, "work that was lost, of all work",
		func(s Sum) float64 { return s.Lost / s.Delivered }},
	{"expired_share", Share, "left by their customers, of admitted jobs",
		func(s Sum) float64 { return float64(s.Expired) / float64(s.Admitted) }},
	count("jobs_submitted", "jobs submitted", func(s Sum) int64 { return s.Submitted }),
	count("jobs_completed", "jobs that ended with a result", func(s Sum) int64 { return s.Completed }),
	count("jobs_rejected", "jobs rejected", func(s Sum) int64 { return s.Rejected }),
	count("jobs_given_up", "waiting jobs that the policy let lapse", func(s Sum) int64 { return s.GivenUp }),
	count("jobs_expired", "jobs whose customers left", func(s Sum) int64 { return s.Expired }),
	count("jobs_killed", "jobs that started and were dropped", func(s Sum) int64 { return s.Killed }),
	count("jobs_late", "jobs that ended after their deadline", func(s Sum) int64 { return s.Late }),
	count("jobs_overcharged", "jobs charged more than their price", func(s Sum) int64 { return s.Overcharged }),
	count("preemptions", "times that a job was stopped", func(s Sum) int64 { return s.Preemptions }),
	count("rejected_admission", "rejected by the admission",
		func(s Sum) int64 { return s.Reasons[simulate.Refused] }),
	count("rejected_resources", "rejected: wider than the machine",
		func(s Sum) int64 { return s.Reasons[simulate.Resources] }),
	count("rejected_deadline", "rejected: the deadline cannot be kept",
		func(s Sum) int64 { return s.Reasons[simulate.Deadline] }),
	count("rejected_budget", "rejected: the budget is too small",
		func(s Sum) int64 { return s.Reasons[simulate.Budget] }),
	count("rejected_return", "rejected: they would bring too little",
		func(s Sum) int64 { return s.Reasons[simulate.Return] }),
	count("rejected_never_ran", "never ran in the log", func(s Sum) int64 { return s.Reasons[simulate.NeverRan] }),
	count("rejected_no_pool", "rejected: no pool takes them",
		func(s Sum) int64 { return s.Reasons[simulate.NoPool] }),
	{"makespan", Seconds, "first submission to last end",
		func(s Sum) float64 { return known(s.Makespan, s.Ended+s.Killed) }},
	// Also the wait of jobs that are interrupted or share nodes; mean_wait if jobs run once on nodes of their own.
	{"mean_total_wait", Seconds, "response less length, of jobs that ended",
		func(s Sum) float64 { return s.Waited / float64(s.Ended) }},
	{"not_run", Share, "never started, of submitted jobs",
		func(s Sum) float64 { return 1 - float64(s.Started)/float64(s.Submitted) }},
}

// known returns a value of some jobs, not a number if there are none.
func known(x float64, count int64) float64 {
	if count == 0 {
		return math.NaN()
	}
	return x
}

// PerSecond returns money over the span of arrivals, s. It is 0 without money, even if
// the span is 0 because all jobs are refused at one instant.
func PerSecond(money, span float64) float64 {
	if money == 0 {
		return 0
	}
	return money / span
}

// places are those of the measures by name.
var places = sync.OnceValue(func() map[string]int {
	list := map[string]int{}
	for i, m := range Measures() {
		list[m.Name] = i
	}
	return list
})

// Lookup returns the measure of a name.
func Lookup(name string) (Measure, bool) {
	i, ok := places()[name]
	if !ok {
		return Measure{}, false
	}
	return Measures()[i], true
}

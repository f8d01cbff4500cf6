package run

import (
	"sync"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// The units of columns.
const (
	PerHour = "$/h"
	Dollars = "$"
	Seconds = "s"
	Share   = "1"     // of a whole
	Ratio   = "ratio" // a number without a unit that may exceed 1
	Count   = "jobs"
)

// Measure is a column of every policy: a figure of merit of all jobs, or of those of a group.
type Measure struct {
	Name  string
	Unit  string
	Means string // in a few words

	of    func(metric.Sum) float64 // not a number where no job defines it
	plain bool                     // control variates leave it alone: a count or a quantile
}

// Of returns the number of a sum, not a number where no job defines it.
func (m Measure) Of(s metric.Sum) float64 { return m.of(s) }

// Measures returns the columns of policies in the order of tables.
func Measures() []Measure { return allMeasures() }

// Lookup returns the measure of a name.
func Lookup(name string) (Measure, bool) {
	i, ok := measurePlaces()[name]
	if !ok {
		return Measure{}, false
	}
	return allMeasures()[i], true
}

// The columns that other files use by name.
const (
	ColumnValue        = "value"
	ColumnRevenue      = "revenue"
	ColumnValueTotal   = "value_total"
	ColumnRevenueTotal = "revenue_total"
	ColumnMeanWait     = "mean_wait"
	ColumnTotalWait    = "mean_total_wait"
	ColumnResponse     = "mean_response_time"
	ColumnSlowdown     = "slowdown"
	ColumnUtilization  = "utilization"
	ColumnCompleted    = "jobs_completed"
	ColumnSubmitted    = "jobs_submitted"
	ColumnNeverRan     = "rejected_never_ran"

	// Facts of a replication, of all jobs.
	ColumnSpan     = "span"     // s, of arrivals
	ColumnObserved = "observed" // s
	ColumnLoad     = "load"     // offered by the jobs of a trace
	ColumnSplit    = "split"    // 1 where a job was preempted, or shared its units with others
	ColumnCut      = "cut"      // 1 where arrivals were cut off before the last measured job had left
)

// allMeasures and measurePlaces are made once.
var (
	allMeasures   = sync.OnceValue(listMeasures)
	measurePlaces = sync.OnceValue(func() map[string]int {
		places := map[string]int{}
		for i, m := range allMeasures() {
			places[m.Name] = i
		}
		return places
	})
)

// listMeasures returns the measures of package metric by the names of the contract, and those that it does not have.
func listMeasures() []Measure {
	list := text.Each([]struct{ name, unit, old, means string }{
		{ColumnValue, PerHour, "value_per_second", "value delivered"},
		{ColumnRevenue, PerHour, "revenue_per_second", "money charged"},
		{ColumnValueTotal, Dollars, "utility", "value delivered in all"},
		{"revenue_per_job", Dollars, "revenue_per_job", "money charged per admitted job"},
		{"revenue_per_submitted", Dollars, "revenue_per_submitted", "money charged per submitted job"},
		{"revenue_per_completed", Dollars, "revenue_per_completed", "money charged per job that ended"},
		{"price_total", Dollars, "price_total", "prices of the submitted jobs"},
		{ColumnMeanWait, Seconds, ColumnMeanWait, "start less submission, of jobs that started"},
		{"wait_median", Seconds, "wait_median", "wait that half of the jobs do not exceed"},
		{"wait_90", Seconds, "wait_90", "wait that 90 % of the jobs do not exceed"},
		{"wait_99", Seconds, "wait_99", "wait that 99 % of the jobs do not exceed"},
		{"mean_lateness", Seconds, "mean_lateness", "time past the deadline, of ended jobs with one"},
		{ColumnResponse, Seconds, ColumnResponse, "end less submission, of jobs that ended"},
		{"mean_slowdown", Ratio, "mean_slowdown", "response over length, of jobs that ended"},
		{ColumnSlowdown, Ratio, "mean_bounded_slowdown", "the same with lengths of at least 10 s, and at least 1"},
		{"kept", Share, "job_qos_satisfaction", "ended by their deadline, of jobs submitted with one"},
		{"promise_kept", Share, "promise_kept", "within their promise, of jobs submitted with one"},
		{"promise_kept_of_admitted", Share, "promise_kept_of_admitted", "the same, of jobs admitted with one"},
		{"profitability", Share, "cluster_profitability", "money of jobs in time over prices of submitted jobs"},
		{"admitted", Share, "acceptance", "let in, of submitted jobs"},
		{ColumnUtilization, Share, "utilization", "work over units up, while jobs are observed"},
		{"lost_share", Share, "lost_share", "work that was lost, of all work"},
		{"expired_share", Share, "expired_share", "left by their customers, of admitted jobs"},
		{ColumnSubmitted, Count, ColumnSubmitted, "jobs submitted"},
		{ColumnCompleted, Count, ColumnCompleted, "jobs that ended with a result"},
		{"jobs_rejected", Count, "jobs_rejected", "jobs rejected"},
		{"jobs_given_up", Count, "jobs_given_up", "waiting jobs that the policy let lapse"},
		{"jobs_expired", Count, "jobs_expired", "jobs whose customers left"},
		{"jobs_killed", Count, "jobs_killed", "jobs that started and were dropped"},
		{"jobs_late", Count, "jobs_late", "jobs that ended after their deadline"},
		{"jobs_overcharged", Count, "jobs_overcharged", "jobs charged more than their price"},
		{"preemptions", Count, "preemptions", "times that a job was stopped"},
		{"rejected_admission", Count, "rejected_admission", "rejected by the admission"},
		{"rejected_resources", Count, "rejected_resources", "rejected: wider than the machine"},
		{"rejected_deadline", Count, "rejected_deadline", "rejected: the deadline cannot be kept"},
		{"rejected_budget", Count, "rejected_budget", "rejected: the budget is too small"},
		{"rejected_return", Count, "rejected_return", "rejected: they would bring too little"},
		{ColumnNeverRan, Count, ColumnNeverRan, "never ran in the log"},
		{"rejected_no_pool", Count, "rejected_no_pool", "rejected: no pool takes them"},
		{"makespan", Seconds, "makespan", "first submission to last end"},
		{"user_gini", Share, "user_gini", "inequality of the users' mean slowdowns (Gini)"},
		{"user_jain", Share, "user_jain", "fairness of the users' mean slowdowns (Jain)"},
	}, func(row struct{ name, unit, old, means string }) Measure {
		return renamed(row.name, row.unit, row.old, row.means)
	})
	total := metric.TotalWait()
	return append(list,
		Measure{ColumnTotalWait, Seconds, "response less length, of jobs that ended", total.Of, false},
		Measure{"not_run", Share, "never started, of submitted jobs", notRun, true})
}

// renamed returns a measure of package metric. Money per second becomes money per hour.
func renamed(name, unit, old, means string) Measure {
	m, ok := metric.Lookup(old)
	if !ok {
		panic("run: no measure " + old)
	}
	of := m.Of
	if unit == PerHour {
		of = func(s metric.Sum) float64 { return metric.Hour * m.Of(s) }
	}
	return Measure{name, unit, means, of, m.Plain}
}

func notRun(s metric.Sum) float64 { return 1 - float64(s.Started)/float64(s.Submitted) }

// layout turns sums into columns. Columns that lack the same measures share their names. Several goroutines may use it.
type layout struct {
	measures []Measure

	mu    sync.Mutex
	names map[string][]string // by which measures there are
}

// layouts are those of all jobs of a replication, and of them without a batch.
type layouts struct{ whole, batch layout }

func newLayouts() *layouts {
	l := &layouts{}
	l.whole.measures = Measures()
	l.batch.measures = text.Where(Measures(), func(m Measure) bool { return !m.plain })
	return l
}

// columns returns the measures of a sum that are defined.
func (l *layout) columns(s metric.Sum) Columns {
	numbers := make([]float64, 0, len(l.measures))
	there := make([]byte, len(l.measures))
	for i, m := range l.measures {
		x := m.of(s)
		if finite(x) {
			numbers = append(numbers, x)
			there[i] = 1
		}
	}
	return Columns{l.namesOf(there), numbers}
}

// namesOf returns the names of the measures that there are.
func (l *layout) namesOf(there []byte) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	names, known := l.names[string(there)]
	if known {
		return names
	}
	for i, m := range l.measures {
		if there[i] == 1 {
			names = append(names, m.Name)
		}
	}
	if l.names == nil {
		l.names = map[string][]string{}
	}
	l.names[string(there)] = names
	return names
}

package run

import (
	"sync"

	"revopt/simulate/metric"
)

// The units of columns.
const (
	PerHour = metric.PerHour
	Dollars = metric.Dollars
	Seconds = metric.Seconds
	Share   = metric.Share
	Ratio   = metric.Ratio
	Count   = metric.Count
)

// Measure is a column of every policy.
type Measure = metric.Measure

// Measures returns the columns of policies in the order of tables.
func Measures() []Measure { return metric.Measures() }

// Lookup returns the measure of a name.
func Lookup(name string) (Measure, bool) { return metric.Lookup(name) }

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

// layout turns sums into columns. Columns that lack the same measures share their names. Several goroutines may use it.
type layout struct {
	mu    sync.Mutex
	names map[string][]string // by which measures there are
}

// columns returns the measures of a sum that are defined.
func (l *layout) columns(s metric.Sum) Columns {
	numbers := make([]float64, 0, len(Measures()))
	there := make([]byte, len(Measures()))
	for i, m := range Measures() {
		x := m.Of(s)
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
	for i, m := range Measures() {
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

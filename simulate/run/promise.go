package run

import (
	"math"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/metric"
)

// Promise asks within which wait a share of the jobs of a customer is served.
type Promise struct {
	Customer string  `json:"customer"`
	Level    float64 `json:"level"`
}

// The columns of a customer whose waits are measured, beside WaitColumns.
const (
	unitHours = "unit_hours" // of time run, of the jobs that ended
	within    = "within_"    // s, the wait that a share of the jobs do not exceed, see Promise
)

// column is the name of the answer of one replication.
func (p Promise) column() string { return within + text.Field(p.Level) }

// OfCustomers reports whether a column is one of customers alone.
func OfCustomers(column string) bool { return column == unitHours || strings.HasPrefix(column, within) }

// addPromises adds the unit-hours of customers, and the waits that promises ask for.
func (r *Record) addPromises(groups []JobGroup, o *waitObserver, promises []Promise) {
	if o == nil {
		return
	}
	for i, g := range groups {
		if g.Kind != ByCustomer {
			continue
		}
		r.set(GroupName(g), unitHours, o.waits[i].work/metric.Hour)
		for _, p := range promises {
			if p.Customer == g.Name {
				r.set(GroupName(g), p.column(), o.waits[i].within(p.Level))
			}
		}
	}
}

// within returns the shortest wait that a share of the submitted jobs do not exceed: 0 of no jobs, infinity if fewer
// jobs end. A job that does not end waits without end.
func (w *waits) within(level float64) float64 {
	rank := int(math.Ceil(level*float64(w.jobs) - rounding))
	switch {
	case w.jobs == 0:
		return 0
	case rank > len(w.ended):
		return math.Inf(1)
	}
	slices.Sort(w.ended)
	return w.ended[rank-1]
}

// PromiseLeast returns how many histories a promise needs at a level of confidence.
func PromiseLeast(confidence float64) int {
	return int(math.Ceil(confidence/(1-confidence) - rounding))
}

// Promised returns the shortest wait that a customer can be promised: a further history, like those of the row, keeps it
// at its level with the given confidence. Of n histories in order of the waits that they need, a further one needs no
// longer than the k-th with probability k/(n+1). There is no such wait if the histories are too few, or if too many of
// them leave more jobs unserved than the level allows.
func (f *Frame) Promised(row Case, p Promise, confidence float64) (wait float64, ok bool) {
	var needed []float64
	for _, r := range f.records(row) {
		x, known := r.Get(Customer(p.Customer), p.column())
		if !known {
			x = math.Inf(1)
		}
		needed = append(needed, x)
	}
	slices.Sort(needed)
	k := int(math.Ceil(confidence*float64(len(needed)+1) - rounding))
	if k > len(needed) || math.IsInf(needed[k-1], 1) {
		return 0, false
	}
	return needed[k-1], true
}

package report

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate/metric"
)

// Report is what a validation found, as numbers and words.
type Report struct {
	Scenario string   // name
	What     string   // the workload in a few words: jobs, machine, load
	Length   string   // of a replication; may be empty
	YAML     string   // of the scenario, without overrides
	Changes  []string // overrides, as path=value

	Seed         uint64
	Replications int
	Level        float64 // of confidence

	Cleaning string // rule and counts; empty where there is no trace
	Version  string
	Command  string

	Unit     string  // of money: "$" of a replication, or "$/h"; it is shown in thousands, millions, ... where it is much
	Rows     []Row   // at the scenario's own point, in any order
	Bounds   []Bound // at the scenario's own point
	Axis     Axis    // of the points
	Points   []Point // along the axis, rising; none where nothing was varied
	Notes    []string
	Warnings []string
}

// Row is one policy at the scenario's own point. A figure that is not defined
// has a mean that is not a number.
type Row struct {
	Name string // policy with its options, and admission where there are several

	Efficiency metric.Interval // value delivered, as a share of the least proven bound
	Charged    metric.Interval // what was charged, likewise
	Behind     metric.Interval // efficiency of the best row less this one's, paired by replication

	Delivered   metric.Interval // value delivered, money
	Accepted    metric.Interval // share of the jobs
	Satisfied   metric.Interval // share of the jobs whose deadline, or grace, was kept
	Utilisation metric.Interval
}

// Kind says what a bound rests on.
type Kind string

const (
	Proven Kind = "proven" // nothing earns more on these jobs
	Model  Kind = "model"  // a prediction, which policies may pass
)

// Bound is a bound at the scenario's own point.
type Bound struct {
	Name   string
	Kind   Kind
	Amount metric.Interval // money
	Gap    float64         // exceeds the optimum of its own problem by at most this share; NaN where nothing is proven
	Means  string          // in a sentence
	Best   bool            // the proven bound that efficiencies are shares of
	Row    string          // name of the row that does what a model bound predicts; may be empty
}

// Axis is the parameter along which the points lie.
type Axis struct {
	Path    string // of the field, such as load
	Label   string
	Unit    string
	Percent bool    // values are fractions
	Own     float64 // the scenario's own value; NaN where it has none
}

// Point is what the same policies deliver, and the same bounds allow, at one
// value of the axis.
type Point struct {
	X         float64
	Delivered []metric.Interval // money, in the order of Report.Rows
	Shares    []metric.Interval // efficiencies, in the order of Report.Rows
	Bounds    []metric.Interval // money, in the order of Report.Bounds
}

// Sort puts the rows in the order of their efficiency, best first and those
// without one last, and the values of the points with them.
func (r *Report) Sort() {
	order := make([]int, len(r.Rows))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int {
		return cmp.Compare(rank(r.Rows[j]), rank(r.Rows[i]))
	})
	r.Rows = permute(r.Rows, order)
	for i := range r.Points {
		p := &r.Points[i]
		p.Delivered, p.Shares = permute(p.Delivered, order), permute(p.Shares, order)
	}
}

// rank is what rows are sorted by.
func rank(r Row) float64 {
	if math.IsNaN(r.Efficiency.Mean) {
		return math.Inf(-1)
	}
	return r.Efficiency.Mean
}

func permute[T any](list []T, order []int) []T {
	sorted := make([]T, len(list))
	for i := range list {
		sorted[i] = list[order[i]]
	}
	return sorted
}

// money returns what to multiply amounts by to show them, and in which unit.
func (r *Report) money() (scale float64, unit string) {
	var most float64
	for _, b := range r.Bounds {
		most = math.Max(most, b.Amount.Mean)
	}
	switch {
	case most >= 1e13:
		return 1e-12, "T" + r.Unit
	case most >= 1e10:
		return 1e-9, "G" + r.Unit
	case most >= 1e7:
		return 1e-6, "M" + r.Unit
	case most >= 1e6:
		return 1e-3, "k" + r.Unit
	}
	return 1, r.Unit
}

// best returns the proven bound that efficiencies are shares of.
func (r *Report) best() (Bound, bool) {
	for _, b := range r.Bounds {
		if b.Best {
			return b, true
		}
	}
	return Bound{}, false
}

// of returns the bounds of a kind.
func (r *Report) of(kind Kind) []Bound {
	var list []Bound
	for _, b := range r.Bounds {
		if b.Kind == kind {
			list = append(list, b)
		}
	}
	return list
}

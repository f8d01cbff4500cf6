package sweep

import (
	"fmt"
	"slices"

	"revopt/internal/cells"
	"revopt/simulate/metric"
)

// Results are the numbers of the cells of a sweep that are finished.
type Results struct {
	plan *Plan
	all  *cells.Results
}

// results returns those of the plan.
func (p *Plan) results(all *cells.Results, err error) (*Results, error) {
	if all == nil {
		return nil, err
	}
	return &Results{p, all}, err
}

// Plan returns the sweep that the results are of.
func (r *Results) Plan() *Plan { return r.plan }

// Finished returns how many cells are finished.
func (r *Results) Finished() int { return r.all.Finished }

// Builds returns the builds of the program whose results were kept in journals:
// one, but where builds were mixed.
func (r *Results) Builds() []Build { return r.all.Builds }

// cell returns the numbers of a cell, nil where it is not finished.
func (r *Results) cell(i int) []float64 { return r.all.Numbers[i] }

// Case is a policy with an admission at a point, by their positions in the sweep
// file. All its replications make one interval.
type Case struct{ Point, Admission, Policy int }

// Values returns a figure of each replication of a case, in order, up to the
// first that is not finished: of one class, or of all jobs for "". Cases of a
// point have the same random numbers in the same replication, so they can be
// paired. It panics where the sweep has no such case, figure or class.
func (r *Results) Values(at Case, figure, class string) []float64 {
	f := slices.IndexFunc(r.plan.figures, func(f metric.Figure) bool { return f.Name == figure })
	g := slices.Index(r.plan.groups, class)
	if f < 0 || g < 0 {
		panic(fmt.Sprintf("sweep: no figure %q of class %q", figure, class))
	}
	return r.values(at, g*len(r.plan.figures)+f)
}

// values returns the k-th number of each replication of a case.
func (r *Results) values(at Case, k int) []float64 {
	first := r.plan.first(at)
	var x []float64
	for i := range r.plan.Spec.Replications {
		numbers := r.cell(first + i)
		if numbers == nil {
			break
		}
		x = append(x, numbers[k])
	}
	return x
}

// Interval returns the interval of a figure of a case, at metric.DefaultLevel.
// See Values.
func (r *Results) Interval(at Case, figure, class string) metric.Interval {
	return metric.Estimate(r.Values(at, figure, class), metric.DefaultLevel)
}

// Admit returns the admission probability of each class in a case, nil where all
// are admitted or where the admission is not found yet.
func (r *Results) Admit(at Case) []float64 {
	if finder, ok := r.plan.finder(at.Point, at.Admission, at.Policy); ok {
		return r.cell(finder)
	}
	return r.plan.Spec.Admissions[at.Admission].Admit
}

package metric

import (
	"math"
	"slices"

	"revopt/internal/lsq"
	"revopt/simulate"
)

// Variates are the control variates of a stream of jobs: what it offers per
// second, whose mean is known, so that the luck of a replication with its jobs can
// be told from what a policy makes of them. A control is X/T less its mean, where X
// is the price or the work of the jobs that are submitted in the window and pass
// their lots, and T the time of the window: the price of all, the work of all, then
// the price of some customers.
//
// Where the window is a time, E[X/T] is the rate of X. Where it is a number n of
// jobs, T is the sum of n exponential gaps and independent of the jobs, so that
// E[X/T] is the rate times n/(n-1). Both hold for Poisson arrivals alone.
type Variates struct {
	Lots  []float64 // probability by customer that a job counts, by Job.Chance; nil counts all
	Price []float64 // $/s of the jobs that count, by customer
	Work  []float64 // processor-seconds per second of these
	Own   []int     // customers with a control of their own

	// Window closes after a number of jobs, with a warm-up in jobs, or after a
	// time, with a warm-up in time.
	Window simulate.Window
}

// Controls returns how many controls there are.
func (v *Variates) Controls() int { return 2 + len(v.Own) }

// Batches is how many parts a replication with control variates is cut into.
const Batches = 8

// batch returns the part of the window that a job is submitted in.
func (v *Variates) batch(j *simulate.Job) int {
	var at int
	if w := v.Window; w.Jobs > 0 {
		at = int((j.ID - w.WarmupJobs) * Batches / (w.Jobs - w.WarmupJobs))
	} else {
		at = int((j.Submit - w.WarmupTime) / (w.Horizon - w.WarmupTime) * Batches)
	}
	return max(0, min(at, Batches-1))
}

// after returns the number of the first job behind a part of the window, 0 if it is not known before: the
// window is a time.
func (v *Variates) after(batch int) int64 {
	w := v.Window
	if w.Jobs == 0 {
		return 0
	}
	return w.WarmupJobs + (int64(batch+1)*(w.Jobs-w.WarmupJobs)+Batches-1)/Batches
}

// offer is what the jobs of a customer in a batch offer.
type offer struct{ price, work float64 }

// controls returns the controls of some offers, by customer, made in a time.
func (v *Variates) controls(offers []offer, seconds float64) []float64 {
	bias := 1.0
	if n := float64(v.Window.Jobs - v.Window.WarmupJobs); n > 0 {
		bias = n / (n - 1)
	}
	list := make([]float64, 2, v.Controls())
	for i, o := range offers {
		list[0] += o.price/seconds - v.Price[i]*bias
		list[1] += o.work/seconds - v.Work[i]*bias
	}
	for _, i := range v.Own {
		list = append(list, offers[i].price/seconds-v.Price[i]*bias)
	}
	return list
}

// Controls are those of one replication.
type Controls struct {
	Whole   []float64   // of mean zero
	Without [][]float64 // the same without each batch
}

// Controlled returns the values of a measure, one of each replication, less what
// the controls explain of them. Without are the values of each replication with one
// batch left out, for every batch. Where there are fewer than three replications,
// or a value is not defined, it returns the values as they are.
//
// Replication k becomes y_k - 0.9 b_k c_k, where the coefficients b_k come from
// the other replications: they are independent of c_k, whose mean is zero, so that
// the mean stays what it was, exactly, whatever the coefficients are (Nelson 1990).
// They are a regression over the batches of the others, since a few replications
// cannot carry several controls (Nelson 1989): a batch counts by its jackknife
// pseudo-value B y - (B-1) y_without, also of the controls. The more replications
// there are, the longer the batches are taken, down to whole replications, as the
// effect of some jobs may show after the batch that they came in. Controls are
// taken in their order, at most one for four batches, and those that depend on
// others are passed over.
//
// The factor 0.9 leaves at least 1/100 of the variance. It is that of a sum over
// many jobs, so nearly normal, as the t interval assumes. Where controls would
// explain all but rare losses, few replications would see none of them and claim an
// interval of nothing.
//
// The values returned are nearly independent: intervals of them have the usual n-1
// degrees of freedom. They are linear in the measure, so differences of controlled
// values are controlled differences.
func Controlled(values []float64, without [][]float64, controls []Controls) []float64 {
	const kept = 0.9
	n := len(values)
	if n < 3 || slices.ContainsFunc(values, math.IsNaN) {
		return values
	}
	size := Batches
	for size > 1 && (n-1)*size/2 >= 32 {
		size /= 2
	}
	q := min(len(controls[0].Whole), (n-1)*size/4)
	y, x := make([][]float64, n), make([][][]float64, n) // by replication and batch
	for k := range n {
		y[k] = pseudo(size, values[k], func(b int) float64 { return without[k][b] })
		for i := range q {
			x[k] = append(x[k], pseudo(size, controls[k].Whole[i], func(b int) float64 {
				return controls[k].Without[b][i]
			}))
		}
	}
	all := newMoments(q)
	parts := make([]*moments, n)
	for k := range n {
		parts[k] = newMoments(q)
		for b := range size {
			point := []float64{1}
			for i := range q {
				point = append(point, x[k][i][b])
			}
			parts[k].add(append(point, y[k][b]-values[0]), 1)
		}
		all.merge(parts[k], 1)
	}
	adjusted := make([]float64, n)
	for k := range n {
		all.merge(parts[k], -1)
		adjusted[k] = values[k]
		for i, b := range all.coefficients() {
			adjusted[k] -= kept * b * controls[k].Whole[i]
		}
		all.merge(parts[k], 1)
		if math.IsNaN(adjusted[k]) || math.IsInf(adjusted[k], 0) {
			return values
		}
	}
	return adjusted
}

// pseudo returns the jackknife pseudo-values of so many batches, each of several
// of those that are left out one by one.
func pseudo(size int, whole float64, without func(b int) float64) []float64 {
	list := make([]float64, size)
	for b := range Batches {
		list[b*size/Batches] += (Batches*whole - (Batches-1)*without(b)) * float64(size) / Batches
	}
	return list
}

// moments are the sums of products of points (1, x_1, ..., x_q, y).
type moments [][]float64

func newMoments(q int) *moments {
	m := make(moments, q+2)
	for i := range m {
		m[i] = make([]float64, q+2)
	}
	return &m
}

func (m moments) add(point []float64, sign float64) {
	for i, a := range point {
		for j, b := range point {
			m[i][j] += sign * a * b
		}
	}
}

func (m moments) merge(other *moments, sign float64) {
	for i := range m {
		for j := range m[i] {
			m[i][j] += sign * (*other)[i][j]
		}
	}
}

// coefficients returns the coefficients of the regression of y on x: 0 for an x that
// depends on earlier ones.
func (m moments) coefficients() []float64 {
	const dependent = 1e-8 // share of the variance that the others leave
	q := len(m) - 2
	covariance := func(i, j int) float64 { return m[i+1][j+1] - m[0][i+1]*m[0][j+1]/m[0][0] }
	right := make([]float64, q)
	for i := range right {
		right[i] = covariance(i, q)
	}
	return lsq.Solve(covariance, right, dependent)
}

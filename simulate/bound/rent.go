package bound

import (
	"math"
	"slices"

	"revopt/model"
	"revopt/simulate"
)

// Rented returns a view of jobs that may also run on rented units: a job earns without work
// of the machine what it is worth if it is rented at its submission, less the rent. Its work
// is worth the difference. Bounds on such jobs hold for every policy that may rent any
// number of units. A nil rent leaves jobs as they are.
//
// Proof. A job runs on the machine, on rented units, or not at all. Rented units cost the
// same at any time, and a rented job ends startup and length after its submission or later.
// Its value falls with its end, or jumps once, at its deadline, to a larger constant (a floor
// below minus the price). So the larger of its values at the first possible end and at the
// end of time is the most that it is worth. Let R be that less the rent, or the money that
// the job earns without work, if that is more. A job that the machine does not run earns at
// most R, another one its value, R + (value - R). The sum over all jobs is at most the sum of
// all R, plus a bound for the machine alone with values lowered by R. QED
func Rented(view func(*simulate.Job) Job, r *simulate.Rent) func(*simulate.Job) Job {
	if r == nil {
		return view
	}
	return func(j *simulate.Job) Job {
		b := view(j)
		if j.Void || r.Limit > 0 && j.Width > r.Limit {
			return b
		}
		slack := due(j) - (j.Submit + j.Value.Due) // see leeway
		value := math.Max(j.Value.At(r.Startup+j.Work-slack), j.Value.At(math.Inf(1)))
		b.free(b.Free, math.Max(b.Free, value-r.Cost(j.Width, j.Work)))
		return b
	}
}

// Plus returns the machine with more nodes of rate 1 that are always up. Its bounds hold for
// the machine and so many rented units, whatever these cost.
func (m Machine) Plus(nodes int) Machine {
	m.Nodes, m.Capacity, m.Speed = m.Nodes+nodes, m.Capacity+float64(nodes), math.Max(m.Speed, 1)
	m.Up = slices.Clone(m.Up)
	for i := range m.Up {
		m.Up[i].Units += nodes
	}
	return m
}

// excessRented returns E[(fixed + slope X - width min(theta X, rent of a unit))^+].
func excessRented(length model.Distribution, fixed, slope, width, theta float64, r *simulate.Rent) float64 {
	f := func(x float64) float64 {
		return math.Max(0, fixed+slope*x-math.Min(width*theta*x, width*r.Cost(1, x)))
	}
	// The function is linear between these lengths, and after the last one.
	least, begin := r.Price*r.Minimum, r.Price*r.Startup
	kinks := []float64{
		0, r.Minimum - r.Startup, least / theta, begin / (theta - r.Price), fixed / (width*theta - slope),
		(fixed - width*begin) / (width*r.Price - slope), (width*least - fixed) / slope,
	}
	kinks = slices.DeleteFunc(kinks, func(x float64) bool { return !(x >= 0 && x < 1e100) })
	slices.Sort(kinks)
	sum, before := f(0), 0.0
	for i, x := range kinks {
		next := 2*x + 1
		if i+1 < len(kinks) {
			next = kinks[i+1]
		}
		if next > x {
			after := (f(next) - f(x)) / (next - x)
			sum, before = sum+(after-before)*length.Excess(x), after
		}
	}
	return sum
}

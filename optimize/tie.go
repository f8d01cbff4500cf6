package optimize

import (
	"math"
	"slices"

	"revopt/model"
)

// settle chooses among admissions that earn the same, so that the result does not depend
// on the search: at the same utilization it moves work to less urgent classes, whose
// delay costs least, as far as that loses nothing. Among classes of one urgency it
// prefers the first. It reports whether other admissions earn the same.
//
// Classes are in the order of service. Classes that pay the same for their work, or
// nothing, tie if delay costs nothing: all delays are within the graces, or nothing
// decays and the queue is at the edge of stability.
func settle(hol *model.HOL, q []float64, classes []int) (tied bool) {
	t := tie{hol, q, slices.Clone(q), hol.Revenue(q)}
	for _, i := range classes {
		if hol.System().Classes[i].MeanPrice() == 0 {
			t.trial[i] = 0
			t.take()
		}
	}
	for a, i := range classes {
		for b := len(classes) - 1; b > a; b-- {
			t.move(classes[b], i, 1e-7)
		}
	}
	back := tie{hol, slices.Clone(q), slices.Clone(q), t.revenue}
	for a, i := range classes {
		for _, j := range classes[a+1:] {
			if back.move(i, j, 1e-3) {
				return true
			}
		}
	}
	return false
}

// tie is a walk over admissions that earn the same.
type tie struct {
	hol      *model.HOL
	q, trial []float64
	revenue  float64
}

// take takes the trial if it earns no less, up to rounding of a trillionth.
func (t *tie) take() bool {
	enough := t.hol.Revenue(t.trial) >= t.revenue-1e-12*math.Abs(t.revenue)
	if enough && t.hol.Utilization(t.trial) <= 1-margin {
		copy(t.q, t.trial)
		return true
	}
	copy(t.trial, t.q)
	return false
}

// move moves as much work as possible from one class to another without loss, and
// reports whether it moved any. It ignores work that pays less than the given share of
// the revenue, and parts that pay less than a thousandth, because near a smooth optimum
// all admissions earn the same.
func (t *tie) move(from, to int, least float64) (moved bool) {
	c := t.hol.System().Classes
	out, in := c[from].Rate*c[from].Length.Mean(), c[to].Rate*c[to].Length.Mean()
	worth := c[from].Rate * c[from].MeanPrice() / out / math.Abs(t.revenue)
	try := func(work float64) bool {
		t.trial[from], t.trial[to] = math.Max(0, t.q[from]-work/out), math.Min(1, t.q[to]+work/in)
		return t.take()
	}
	most := math.Min(out*t.q[from], in*(1-t.q[to]))
	if !(worth*most >= least) {
		return false
	}
	if try(most) {
		return true
	}
	for step := most / 2; worth*step >= 1e-3; step /= 2 {
		moved = try(step) || moved
	}
	return moved
}

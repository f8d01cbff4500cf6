package optimize

import (
	"math"
	"slices"

	"revopt/model"
)

// settle chooses among admissions that earn the same, so that the answer does not
// hang on how it was found: it moves work, at the same utilization, to less
// urgent classes as far as that loses nothing, for they wait at the least cost.
// Of classes of one urgency it prefers the first. It reports whether other
// admissions earn the same.
//
// Classes are in the order of service. Classes tie that pay the same for their
// work, or nothing, where no delay costs: all delays are within the graces, or
// nothing decays and the queue is at the edge of stability.
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

// take takes the trial where it earns no less, but for a trillionth, which is
// rounding.
func (t *tie) take() bool {
	if r := t.hol.Revenue(t.trial); r >= t.revenue-1e-12*math.Abs(t.revenue) && t.hol.Utilization(t.trial) <= 1-margin {
		copy(t.q, t.trial)
		return true
	}
	copy(t.trial, t.q)
	return false
}

// move moves as much work from one class to another as loses nothing, and reports
// whether it moved any. Work that pays less than the given share of the revenue
// is left alone; so is a part of it that pays less than a thousandth, because
// near an optimum that is smooth everything earns the same.
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

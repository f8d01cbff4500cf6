package bound

import (
	"math"

	"revopt/simulate"
)

// FromImprecise returns the job of an imprecise computation, as in
// Job.Spec.Imprecise: Width tasks, each with a mandatory length that pays only
// when it is done and an optional length that is paid by what is done of it, by
// the deadline. A job that states no parts is mandatory as a whole and pays its
// budget, a share of it for each task.
//
// Tasks are alike, and the value of work on one is concave in the relaxed
// problem, so that equal shares are best: all tasks together are worth
// V(y) = Width V_1(y/Width). The bound need not tell them apart.
func FromImprecise(j *simulate.Job) Job {
	w := float64(j.Width)
	i := j.Spec.Imprecise
	if i == nil {
		i = &simulate.Imprecise{Mandatory: j.Work, Reward: j.Spec.Constraints.Budget / w}
	}
	b := Job{Release: j.Submit, End: due(j), Width: w, Loose: true}
	if j.Void {
		return b
	}
	first, optional := bonus(i)
	if i.Mandatory > 0 {
		b.Parts = append(b.Parts, Part{w * i.Mandatory, w * first})
	} else {
		b.Free = w * math.Max(0, first)
	}
	for _, p := range optional {
		if len(b.Parts) == 0 { // a first part is whole or nothing; this one is not
			b.Parts = append(b.Parts, Part{w * hair * p.Work, w * hair * p.Value})
			p.Work, p.Value = p.Work*(1-hair), p.Value*(1-hair)
		}
		b.Parts = append(b.Parts, Part{w * p.Work, w * p.Value})
	}
	return b
}

// bonus returns what a task pays for its mandatory length and for the pieces of
// its optional one, in seconds and $, so that the line through the sums lies
// nowhere below what the task pays.
//
// A linear bonus is one piece, and milestones are pieces between which the line
// lies above the steps. Any other is cut into pieces, short ones at its start,
// and a length within a piece counts as all of it: the line passes through
// (start of the piece, pay at its end), which is above since pay does not fall.
func bonus(i *simulate.Imprecise) (mandatory float64, optional []Part) {
	if i.Optional <= 0 || i.Bonus == nil {
		return i.Worth(0), nil
	}
	switch b := i.Bonus.(type) {
	case simulate.Linear:
		return i.Worth(0), []Part{{i.Optional, i.Worth(i.Optional) - i.Worth(0)}}
	case simulate.Steps:
		return steps(i, b)
	}
	const pieces = 64
	length := func(n int) float64 { return i.Optional * math.Pow(float64(n)/pieces, 3) }
	for n := 1; n <= pieces; n++ {
		more := i.Worth(length(min(n+1, pieces))) - i.Worth(length(n))
		optional = append(optional, Part{length(n) - length(n-1), more})
	}
	return i.Worth(length(1)), optional
}

// steps is bonus for milestones. One that is reached at once counts as
// mandatory, and all are a little nearer than stated, as the simulator rounds.
func steps(i *simulate.Imprecise, b simulate.Steps) (mandatory float64, optional []Part) {
	const rounding = 2e-9
	mandatory = i.Worth(0)
	at := 0.0
	for _, m := range b {
		next := m.At * (1 - rounding)
		switch {
		case m.At <= 0 || next > i.Optional: // paid with the mandatory length, or never
		case next <= at && len(optional) > 0:
			optional[len(optional)-1].Value += m.Amount
		default:
			optional = append(optional, Part{next - at, m.Amount})
			at = next
		}
	}
	return mandatory, optional
}

package bound

import (
	"math"

	"revopt/simulate"
)

// FromEither returns a job that a scheduler may serve whole, for what FromSpec
// says, or in part, for what FromImprecise says. A bound on such jobs holds for
// policies of both kinds, and for one that chooses between them job by job.
//
// The job has the window and the lateness of FromSpec and the parts of
// FromImprecise, raised where the whole is worth more to the one than to the
// other.
//
// Proof. Served whole, all of its work A is done by its end f, and it pays
// budget - loss(f) <= V(A) - loss(f), as in the proof of Clairvoyant. Served in
// part by its deadline, it pays at most V(y) for y node-seconds of work, all of
// it within the window, which reaches to the deadline or beyond, and at a time
// at which the relaxed problem charges no loss yet: losses start at the
// deadline, or with the first part, without which nothing is paid.
func FromEither(j *simulate.Job) Job {
	whole, partial := FromSpec(j), FromImprecise(j)
	b := whole
	b.Loose = true
	if j.Void {
		return b
	}
	b.Free, b.Parts = math.Max(whole.Free, partial.Free), partial.Parts
	if len(whole.Parts) > 0 {
		b.Parts = raise(b.Parts, Part{whole.Parts[0].Work, whole.Parts[0].Value - b.Free})
	}
	return b
}

// raise returns parts that are worth no less than before, and no less than the
// whole's value for the whole's work.
func raise(parts []Part, whole Part) []Part {
	var raised []Part
	var work, value float64 // of the parts before
	for i, p := range parts {
		end := work + p.Work
		if whole.Work > end*(1+hair) || whole.Work <= work {
			raised = append(raised, p)
			work, value = end, value+p.Value
			continue
		}
		cut := math.Min((whole.Work-work)/p.Work, 1)
		if cut > 1-hair {
			cut = 1
		}
		first := Part{p.Work * cut, p.Value * cut}
		if i == 0 && cut < 1 {
			first.Value = 0 // a first part pays only in full
		}
		first.Value = math.Max(first.Value, whole.Value-value)
		raised = append(raised, first)
		if cut < 1 {
			raised = append(raised, Part{p.Work * (1 - cut), math.Max(0, p.Value-first.Value)})
		}
		work, value = end, value+math.Max(p.Value, first.Value)
		whole.Work = 0 // done with
	}
	if whole.Work > 0 {
		raised = append(raised, Part{whole.Work - work, math.Max(0, whole.Value-value)})
	}
	return raised
}

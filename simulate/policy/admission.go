package policy

import (
	"fmt"

	"revopt/simulate"
)

// admission rejects jobs by lot before another policy sees them.
type admission struct {
	simulate.Policy
	admit []float64 // q_s
}

// timedAdmission is admission in front of a policy that sets timers.
type timedAdmission struct {
	admission
	timed simulate.Timed
}

// finishingAdmission is admission in front of a policy that is told of
// completions.
type finishingAdmission struct {
	admission
	finisher simulate.Finisher
}

// sharingAdmission is that in front of a policy that shares nodes as well.
type sharingAdmission struct {
	finishingAdmission
	simulate.Sharing
}

// fullAdmission is in front of a policy with timers that is told of
// completions.
type fullAdmission struct {
	timedAdmission
	finisher simulate.Finisher
}

// WithAdmission returns p behind an admission control that takes a job of
// class s with probability admit[s]. The lot is the job's own (Job.Chance),
// so that the jobs taken with smaller probabilities are among those taken
// with larger ones.
func WithAdmission(p simulate.Policy, admit []float64) (simulate.Policy, error) {
	for s, q := range admit {
		if !(q >= 0 && q <= 1) {
			return nil, fmt.Errorf("policy: admission probability %g of class %d is not between 0 and 1", q, s)
		}
	}
	a := admission{Policy: p, admit: admit}
	timed, times := p.(simulate.Timed)
	finisher, finishes := p.(simulate.Finisher)
	sharing, shares := p.(simulate.Sharing)
	switch {
	case times && finishes:
		return &fullAdmission{timedAdmission{a, timed}, finisher}, nil
	case times:
		return &timedAdmission{a, timed}, nil
	case finishes && shares:
		return &sharingAdmission{finishingAdmission{a, finisher}, sharing}, nil
	case finishes:
		return &finishingAdmission{a, finisher}, nil
	}
	return &a, nil
}

// Arrive implements simulate.Policy.
func (a *admission) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if j.Chance >= a.admit[j.Class] {
		c.Reject(j, simulate.Admission)
		return
	}
	a.Policy.Arrive(c, j)
}

// Timer implements simulate.Timed.
func (a *timedAdmission) Timer(c *simulate.Cluster, j *simulate.Job) { a.timed.Timer(c, j) }

// Finish implements simulate.Finisher.
func (a *finishingAdmission) Finish(c *simulate.Cluster, j *simulate.Job) { a.finisher.Finish(c, j) }

// Finish implements simulate.Finisher.
func (a *fullAdmission) Finish(c *simulate.Cluster, j *simulate.Job) { a.finisher.Finish(c, j) }

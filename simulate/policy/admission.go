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
	if t, ok := p.(simulate.Timed); ok {
		return &timedAdmission{admission: a, timed: t}, nil
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

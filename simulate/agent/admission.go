package agent

import "revopt/simulate"

// Lottery admits a job of class s with probability Lottery[s]. The lot is the
// job's own (Job.Chance), so that the jobs taken with smaller probabilities are
// among those taken with larger ones.
type Lottery []float64

// Admit implements simulate.Admission.
func (l Lottery) Admit(j *simulate.Job, _ []*simulate.Cluster) bool { return j.Chance < l[j.Class] }

// AdmitFunc is an admission that is a function.
type AdmitFunc func(j *simulate.Job, sites []*simulate.Cluster) bool

// Admit implements simulate.Admission.
func (f AdmitFunc) Admit(j *simulate.Job, sites []*simulate.Cluster) bool { return f(j, sites) }

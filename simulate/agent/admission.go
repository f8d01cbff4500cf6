package agent

import "revopt/simulate"

// Lottery admits a job of class s with probability Lottery[s]. The lot is the
// job's own (Job.Chance), so that the jobs taken with smaller probabilities are
// among those taken with larger ones.
type Lottery []float64

// Admit implements simulate.Admission.
func (l Lottery) Admit(j *simulate.Job, _ []*simulate.Cluster) bool { return j.Chance < l[j.Class] }

// Thresholds refuses a job of class s while Waiting[s] or more jobs, of all
// classes together, wait. Otherwise it admits the job with probability
// Share[s].
type Thresholds struct {
	Share   []float64 // nil is 1 for all
	Waiting []int     // a negative number is no limit; nil is no limit for all
}

// Admit implements simulate.Admission.
func (t Thresholds) Admit(j *simulate.Job, sites []*simulate.Cluster) bool {
	if t.Waiting != nil && t.Waiting[j.Class] >= 0 {
		var waiting int
		for _, c := range sites {
			waiting += c.Waiting()
		}
		if waiting >= t.Waiting[j.Class] {
			return false
		}
	}
	return t.Share == nil || j.Chance < t.Share[j.Class]
}

// AdmitFunc is an admission that is a function.
type AdmitFunc func(j *simulate.Job, sites []*simulate.Cluster) bool

// Admit implements simulate.Admission.
func (f AdmitFunc) Admit(j *simulate.Job, sites []*simulate.Cluster) bool { return f(j, sites) }

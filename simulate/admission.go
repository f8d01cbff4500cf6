package simulate

// Admission decides which jobs are admitted, before the policy sees them. A refused job is
// Rejected for reason Refused and costs nothing, unless the Router sends it to another site.
type Admission interface {
	// Admit reports whether a job that was just submitted is admitted. The admission of a
	// run sees the site of the job only.
	Admit(j *Job, sites []*Cluster) bool
}

// Lottery admits a job of class s with probability Lottery[s]. The lot is the
// job's own (Job.Chance), so that the jobs taken with smaller probabilities are
// among those taken with larger ones.
type Lottery []float64

// Admit implements Admission.
func (l Lottery) Admit(j *Job, _ []*Cluster) bool { return j.Chance < l[j.Class] }

// Thresholds refuses a job of class s while Waiting[s] or more jobs, of all
// classes together, wait. Otherwise it admits the job with probability
// Share[s].
type Thresholds struct {
	Share   []float64 // nil is 1 for all
	Waiting []int     // a negative number is no limit; nil is no limit for all
}

// Admit implements Admission.
func (t Thresholds) Admit(j *Job, sites []*Cluster) bool {
	if t.Waiting != nil && t.Waiting[j.Class] >= 0 {
		var waiting int
		for _, c := range sites {
			waiting += c.waiting
		}
		if waiting >= t.Waiting[j.Class] {
			return false
		}
	}
	return t.Share == nil || j.Chance < t.Share[j.Class]
}

// AdmitFunc is an Admission that is a function.
type AdmitFunc func(j *Job, sites []*Cluster) bool

// Admit implements Admission.
func (f AdmitFunc) Admit(j *Job, sites []*Cluster) bool { return f(j, sites) }

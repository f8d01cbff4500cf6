package simulate

// Admission decides which jobs are admitted, before the policy sees them. A refused job is
// Rejected for reason Refused and costs nothing, unless the Router sends it to another site.
type Admission interface {
	// Admit reports whether a job that was just submitted is admitted. The admission of a
	// run sees the site of the job only.
	Admit(j *Job, sites []*Cluster) bool
}

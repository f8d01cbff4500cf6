package simulate

// Informed is a policy that may know run times before jobs have ended, as with estimates=exact.
type Informed interface {
	Policy
	KnowsRunTimes() bool
}

// secrets are what the fields of a job have said that are hidden from the policy of its site.
type secrets struct {
	expire    float64
	patience  float64
	recorded  Recorded
	imprecise *Imprecise
}

// Hide keeps from the policy of the site what nobody can know of a job that waits or runs: when its customer gives up,
// and what became of it in the log. Unless the policy is Informed, it also hides the run time of a job, the lengths of
// its parts, and what it is worth by its run time; a job without an estimate is planned with its run time. The kernel
// does this for the jobs that come to the site; agents do it for trial jobs.
func (c *Cluster) Hide(j *Job) {
	if j.sealed {
		return
	}
	j.sealed = true
	j.secrets = secrets{j.Expire, j.Patience, j.Spec.Recorded, j.Spec.Imprecise}
	j.Expire = 0
	j.Patience = 0
	if !c.recorded {
		j.Spec.Recorded = Recorded{}
	}
	if d := &j.Spec.Details; c.informed || d.Exact || !(d.Estimate > 0) {
		return
	}
	j.hidden = true
	j.Work = 0
	j.Spec.Imprecise = nil
	j.Value = j.Stated(j.Spec.Details.Estimate)
}

// reveal shows what was hidden, since the job has ended or moves to another site.
func (j *Job) reveal() {
	j.Work = j.length()
	if j.sealed {
		j.resign()
		j.sealed = false
		j.Spec.Recorded = j.secrets.recorded
		j.Spec.Imprecise = j.secrets.imprecise
	}
	if j.hidden {
		j.hidden = false
		j.Value = j.Stated(j.work)
	}
}

// resign shows when the customer of a hidden job gives up.
func (j *Job) resign() {
	j.Expire = j.secrets.expire
	j.Patience = j.secrets.patience
}

// length returns for how long the job runs in all, s.
func (j *Job) length() float64 {
	if j.cut {
		return j.Spec.Details.Estimate
	}
	return j.work
}

// Curtail ends a job at its estimate if it runs for longer. It is then marked Killed, and has no result.
func (c *Cluster) Curtail(j *Job) {
	if e := j.Spec.Details.Estimate; e > 0 && j.work > e {
		j.cut = true
	}
}

// ChargeInTime charges an amount for a job on dedicated processors at its end, in place of one that was set before. The
// job owes nothing if it is late by more than rounding, or killed.
func (c *Cluster) ChargeInTime(j *Job, amount float64) {
	j.fee = amount
	if j.state == ending {
		c.collect(j)
	}
}

// collect charges what a job owes that has ended.
func (c *Cluster) collect(j *Job) {
	if late := j.Deadline(); !j.cut && !(late+epsilon*late < j.Finish) {
		c.Charge(j, j.fee)
	}
	j.fee = 0
}

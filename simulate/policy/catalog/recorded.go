package catalog

import (
	"revopt/simulate"
	"revopt/simulate/policy"
)

// RecordedSpec returns the schedule of a log as a policy, for comparison with policies:
// it cannot be run on other jobs. It is not among Standard.
func RecordedSpec() policy.Spec {
	return policy.Spec{
		Name: "recorded", Title: "Recorded", Summary: "the starts and ends of the log, not simulated",
		Needs: policy.Needs{Recorded: true}, Cost: 1e-6,
		Make: policy.PerSite(func(policy.Settings) simulate.Policy { return recorded{} }),
	}
}

// recorded starts every job when the log did, whatever is free, on a site that is
// Recorded. A job that never ran leaves when it left the queue of the log. It counts as
// expired and pays nothing. If the policy sets the price, jobs pay as under other policies on
// dedicated processors.
//
// # Policy recorded
//
// The schedule of a log, for comparison: every job starts when the log says, whatever is free. It is not simulated,
// and cannot be run on other jobs. A job that never ran leaves when it left the queue of the log; it counts as expired
// and pays nothing.
type recorded struct{}

// Arrive implements simulate.Policy.
func (recorded) Arrive(c *simulate.Cluster, j *simulate.Job) {
	c.Admit(j)
	c.Timer(j, j.Spec.Recorded.At)
}

// Schedule implements simulate.Policy.
func (recorded) Schedule(*simulate.Cluster) {}

// Timer implements simulate.Timed.
func (recorded) Timer(c *simulate.Cluster, j *simulate.Job) {
	if j.Spec.Recorded.Ran {
		policy.Terms{}.Start(c, j)
	} else {
		c.Expire(j)
	}
}

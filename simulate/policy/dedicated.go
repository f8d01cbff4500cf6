package policy

import "revopt/simulate"

// PBase is the base price of a second of processing, $/s. Yeo and Buyya
// (2007), section VII; it is not multiplied by the number of processors.
const PBase = 1

// Terms say which runtimes a policy on dedicated processors plans with, and what
// happens to a job that exceeds its estimate.
//
// # All policies: estimates and overruns
//
// On dedicated processors a job keeps its processors until it ends, unless its policy preempts jobs. A job that is
// wider than the machine is rejected for resources when it arrives. Some jobs of a log are eligible later than they are
// submitted. Policies see them from then on, but order of arrival is that of submission, and deadlines, values and
// waits count from there.
//
//   - estimates=user plans with the estimates of the trace; under qos, with run time (1 - inaccuracy). A job without
//     an estimate, as on job classes, is planned with its run time. estimates=exact plans with the true run times.
//   - estimates=predicted plans, if a policy does not say otherwise, with the mean run time of the user's last two
//     ended jobs, at most the estimate: Tsafrir, Etsion and Feitelson (2007). A prediction that a job outlives grows
//     in steps, up to its estimate. A job whose estimate reaches into an outage to come is planned with its estimate
//     (conservative excepted).
//   - Prices, graces and deadlines that are multiples of the run time are those of a job that runs as long as planned;
//     the account is by the true run time. Amounts in dollars and times stay, as under qos.
//   - overrun=extend lets a job exceed its estimate: from then on its end is expected at every moment. overrun=kill
//     ends it there: it delivers nothing and pays nothing.
type Terms struct {
	// Exact plans with the true runtimes. Otherwise the plan is made with the
	// users' estimates; a job without one is planned with its runtime.
	Exact bool
	// Predict plans with predictions from the jobs that have ended, for jobs with an
	// estimate, unless Exact is set.
	Predict bool
	// Kill ends a job at its estimate. It is marked Killed and pays nothing. Otherwise
	// the job continues, and from then on its end is expected at every moment.
	Kill bool
}

// Take returns the runtime to plan with of a job that has just been submitted, and ends it at its estimate with Kill. It
// rejects a job that is wider than the cluster.
func (t Terms) Take(c *simulate.Cluster, j *simulate.Job) (estimate float64, ok bool) {
	if j.Width > c.Processors() {
		c.Reject(j, simulate.Resources)
		return 0, false
	}
	estimate = t.RunTime(j)
	if t.Kill && !t.Exact {
		c.Curtail(j)
	}
	return estimate, true
}

// KnowsRunTimes implements simulate.Informed.
func (t Terms) KnowsRunTimes() bool { return t.Exact }

// RunTime returns the runtime to plan with, s.
func (t Terms) RunTime(j *simulate.Job) float64 {
	if e := j.Spec.Details.Estimate; e > 0 && !t.Exact {
		return e
	}
	return j.Work
}

// Start runs a job. If the policy sets the price, the posted price of a job is RE PBase.
// It pays that unless it is late or killed, or has neither a deadline nor a price. On
// dedicated processors the end is known at the start, so that the charge is made then;
// observers see it with the completion.
func (t Terms) Start(c *simulate.Cluster, j *simulate.Job) {
	c.Start(j)
	t.Charge(c, j)
}

func (t Terms) Charge(c *simulate.Cluster, j *simulate.Job) {
	if !c.ByValue() && (j.Value.Dated || j.Value.Price > 0) {
		c.ChargeInTime(j, t.RunTime(j)*PBase)
	}
}

// TermOptions are the terms as options of a policy.
func TermOptions() []Option {
	return []Option{
		{Name: "estimates", Values: []string{"user", "exact"}},
		{Name: "overrun", Values: []string{"extend", "kill"}},
	}
}

// planOptions are those of a policy that may plan with predictions.
func planOptions() []Option {
	return []Option{{Name: "estimates", Values: []string{"user", "exact", "predicted"}}, TermOptions()[1]}
}

func (s Settings) Terms() Terms {
	return Terms{Exact: s["estimates"] == "exact", Predict: s["estimates"] == "predicted", Kill: s["overrun"] == "kill"}
}

// Slack is the relative difference below which sums of floating-point numbers
// are equal: sums of shares to the capacity of a node, prices to budgets, and
// the keys by which nodes are sorted.
const Slack = 1e-9

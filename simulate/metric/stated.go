package metric

import "revopt/simulate"

// Stated is what the jobs add up to whose users state a deadline and a budget,
// as in traces with QoS.
type Stated struct {
	Jobs      int64   // submitted with a deadline: n
	Satisfied int64   // ended by their deadline within their budget: nQoS
	Late      int64   // ended after their deadline
	Finished  int64   // ended
	Delay     float64 // s past the deadline, of the jobs that ended
	Budget    float64 // $, of the jobs submitted
	Profit    float64 // $ charged to the jobs satisfied
	Utility   float64 // $, value delivered to users, see simulate.Job.Utility
}

// add adds another class.
func (s *Stated) add(t Stated) {
	s.Jobs += t.Jobs
	s.Satisfied += t.Satisfied
	s.Late += t.Late
	s.Finished += t.Finished
	s.Delay += t.Delay
	s.Budget += t.Budget
	s.Profit += t.Profit
	s.Utility += t.Utility
}

// submit adds a job that arrives.
func (s *Stated) submit(j *simulate.Job) {
	if q := &j.Spec.Constraints; q.Deadline > 0 {
		s.Jobs++
		s.Budget += q.Budget
	}
}

// complete adds a job that ends at the given time. One that was killed at its
// estimate has no result and delivers nothing.
func (s *Stated) complete(j *simulate.Job, at float64) {
	q := &j.Spec.Constraints
	if q.Deadline <= 0 || j.Killed {
		return
	}
	s.Finished++
	delay := j.Delay(at)
	s.Delay += delay
	s.Utility += j.Utility(at)
	const slack = 1e-9 // of sums of money
	switch {
	case delay > 0:
		s.Late++
	case j.Revenue <= q.Budget*(1+slack):
		s.Satisfied++
		s.Profit += j.Revenue
	}
}

// TraceFigures returns the figures of merit of traces. Those that speak of
// deadlines or budgets are undefined where no job states any.
func TraceFigures() []Figure {
	list := []Figure{
		RevenuePerSecond(),
		{"revenue_per_job", func(s Sum) float64 { return s.Revenue / float64(s.Admitted) }},
		{"utilization", func(s Sum) float64 { return s.Delivered / s.Capacity }},
		{"mean_delay", func(s Sum) float64 { return s.Stated.Delay / float64(s.Stated.Finished) }},
		{"acceptance", func(s Sum) float64 { return float64(s.Admitted) / float64(s.Submitted) }},
		JobQoSSatisfaction(),
		ClusterProfitability(),
		{"utility", func(s Sum) float64 { return s.Stated.Utility }},
		{"jobs_submitted", func(s Sum) float64 { return float64(s.Submitted) }},
		{"jobs_completed", func(s Sum) float64 { return float64(s.Completed) }},
		{"jobs_rejected", func(s Sum) float64 { return float64(s.Rejected) }},
		{"jobs_expired", func(s Sum) float64 { return float64(s.Expired) }},
		{"jobs_late", func(s Sum) float64 { return float64(s.Stated.Late) }},
		MeanWait(),
		{"mean_bounded_slowdown", func(s Sum) float64 { return s.Slowdown / float64(s.Completed) }},
	}
	for _, r := range []struct {
		name   string
		reason simulate.Reason
	}{
		{"rejected_resources", simulate.Resources}, {"rejected_deadline", simulate.Deadline}, {"rejected_budget", simulate.Budget},
		{"rejected_return", simulate.Return}, {"rejected_lapsed", simulate.Lapsed}, {"rejected_never_ran", simulate.NeverRan},
	} {
		list = append(list, Figure{r.name, func(s Sum) float64 { return float64(s.Reasons[r.reason]) }})
	}
	return list
}

// JobQoSSatisfaction is the share of submitted jobs whose deadline and budget
// were kept, nQoS/n. Yeo and Buyya (2007), (7).
func JobQoSSatisfaction() Figure {
	return Figure{"job_qos_satisfaction", func(s Sum) float64 { return float64(s.Stated.Satisfied) / float64(s.Stated.Jobs) }}
}

// ClusterProfitability is what the jobs with their QoS kept were charged over
// the budgets of all submitted jobs. Yeo and Buyya (2007), (8).
func ClusterProfitability() Figure {
	return Figure{"cluster_profitability", func(s Sum) float64 { return s.Stated.Profit / s.Stated.Budget }}
}

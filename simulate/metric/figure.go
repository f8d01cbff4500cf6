package metric

// Figure is a figure of merit of a class or of all jobs. A figure that no job
// defines (a mean wait where none started, say) is NaN.
type Figure struct {
	Name string // as in the JSON output
	Of   func(Sum) float64
}

// Figures returns the figures of merit of class workloads.
func Figures() []Figure {
	return []Figure{
		RevenuePerSecond(),
		{"revenue_per_submitted", func(s Sum) float64 { return s.Revenue / float64(s.Submitted) }},
		{"revenue_per_job", func(s Sum) float64 { return s.Revenue / float64(s.Admitted) }},
		{"revenue_per_completed", func(s Sum) float64 { return s.Revenue / float64(s.Completed) }},
		MeanWait(),
		// The delay of a class workload is its wait.
		{"mean_delay", MeanWait().Of},
		{"utilization", func(s Sum) float64 { return s.Delivered / s.Capacity }},
		{"acceptance", func(s Sum) float64 { return float64(s.Admitted) / float64(s.Submitted) }},
		{"expired_share", func(s Sum) float64 { return float64(s.Expired) / float64(s.Admitted) }},
		{"mean_bounded_slowdown", func(s Sum) float64 { return s.Slowdown / float64(s.Completed) }},
		// A class promises to start a job within its grace.
		{"job_qos_satisfaction", func(s Sum) float64 { return float64(s.Prompt) / float64(s.Submitted) }},
		// What is booked for a class workload is the value delivered.
		{"utility", func(s Sum) float64 { return s.Revenue }},
		// The share collected of what all submitted jobs would pay if none waited.
		{"cluster_profitability", func(s Sum) float64 { return s.Revenue / s.Worth }},
		{"jobs_submitted", func(s Sum) float64 { return float64(s.Submitted) }},
		{"jobs_admitted", func(s Sum) float64 { return float64(s.Admitted) }},
		{"jobs_rejected", func(s Sum) float64 { return float64(s.Rejected) }},
		{"jobs_completed", func(s Sum) float64 { return float64(s.Completed) }},
		{"jobs_expired", func(s Sum) float64 { return float64(s.Expired) }},
	}
}

// RevenuePerSecond is the money booked for measured jobs over the time the
// window was open.
func RevenuePerSecond() Figure {
	return Figure{"revenue_per_second", func(s Sum) float64 { return s.Revenue / s.Seconds }}
}

// MeanWait is start less submission, over jobs that started.
func MeanWait() Figure {
	return Figure{"mean_wait", func(s Sum) float64 { return s.Wait / float64(s.Started) }}
}

// Lookup returns the figure of the given name.
func Lookup(name string) (Figure, bool) {
	for _, f := range Figures() {
		if f.Name == name {
			return f, true
		}
	}
	return Figure{}, false
}

package study

import (
	"revopt/simulate"
	"revopt/simulate/experiment"
	"revopt/simulate/subject"
)

// UserRow is that of one user.
type UserRow struct {
	User     string   `json:"user"` // the name, or the number where the log has no names
	Jobs     Estimate `json:"jobs"` // submitted
	Wait     Estimate `json:"mean_wait"`
	Slowdown Estimate `json:"bounded_slowdown"` // mean
	Value    Estimate `json:"value"`            // $ delivered
}

// HasUsers reports whether a job of the trace has a user.
func HasUsers(s *subject.Subject) bool {
	if s.Trace == nil {
		return false
	}
	source, err := s.Workload.Jobs(0, 0)
	if err != nil {
		return false
	}
	defer experiment.Close(source)
	var j simulate.Job
	for ok := true; ok && err == nil && j.Spec.Details.User <= 0; {
		ok, err = source.Next(&j)
	}
	return j.Spec.Details.User > 0
}

package study

import (
	"revopt/simulate"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// HasUsers reports whether a job of the trace has a user.
func HasUsers(s *subject.Subject) bool {
	if s.Trace == nil {
		return false
	}
	source, err := s.Workload.Jobs(0, 0)
	if err != nil {
		return false
	}
	defer run.Close(source)
	var j simulate.Job
	for ok := true; ok && err == nil && j.Spec.Details.User <= 0; {
		ok, err = source.Next(&j)
	}
	return j.Spec.Details.User > 0
}

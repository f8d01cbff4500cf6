package subject

import (
	"errors"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate/policy"
)

// HeadlineSet returns the policies that answer most questions: the best of our own, then those that sites run.
func HeadlineSet() []scenario.Policy {
	return []scenario.Policy{
		{Name: "value-bf"},
		{Name: "hol", Options: map[string]string{"backfill": "true"}},
		{Name: "easy"},
		{Name: "slurm"},
		{Name: "conservative"},
		{Name: "fcfs"},
	}
}

// headline returns the policies of the headline set that the subject knows, and the usual policy of the scenario. A
// policy that makes the schedule of the usual one is not among them: where all jobs have one width, there is nothing to
// backfill.
func (s *Subject) headline() []Policy {
	var list []Policy
	for _, h := range HeadlineSet() {
		p, err := NewPolicy(s.Specs, h.Name, h.Options)
		if err == nil { // else the subject does not know it
			list = append(list, p)
		}
	}
	usual, err := NewPolicy(s.Specs, s.Usual, nil)
	if err != nil {
		return list
	}
	backfills := func(p Policy) bool { return p.Spec.Name == s.Usual && p.Settings["backfill"] == "true" }
	if s.Trace == nil && s.Kind == "classes" && Widths(s.Workload.Customers()) == 1 {
		list = slices.DeleteFunc(list, backfills)
	}
	if slices.ContainsFunc(list, func(p Policy) bool { return p.Label() == usual.Label() }) {
		return list
	}
	return append(list, usual)
}

// Compared returns the policies that a comparison has unless it names others, without the schedule of a log, and those
// that are left out. They are the ones that the scenario lists, else the headline set. If only the usual policy of that
// applies, they are all policies that do.
func (s *Subject) Compared() (list []Policy, leftOut []LeftOut) {
	if slices.ContainsFunc(s.Scenario.Policies, func(p scenario.Policy) bool { return p.Name != Recorded }) {
		given, err := s.Policies()
		if err == nil {
			return s.meeting(given)
		}
	}
	list, leftOut = s.meeting(s.headline())
	if len(list) < 2 {
		return s.Applying()
	}
	return list, leftOut
}

// meeting divides policies into those whose needs the workload meets and the others.
func (s *Subject) meeting(given []Policy) (list []Policy, leftOut []LeftOut) {
	for _, p := range given {
		if reason := s.unmet(p.Spec); reason != "" {
			leftOut = append(leftOut, LeftOut{p.Spec.Name, reason})
		} else {
			list = append(list, p)
		}
	}
	return list, leftOut
}

// unmet returns the need of a policy that the workload does not meet, "" if it meets all.
func (s *Subject) unmet(spec policy.Spec) string {
	err := spec.Check(s.Workload.Has())
	if err == nil || spec.Barred {
		return ""
	}
	var need *policy.NeedError
	if !errors.As(err, &need) {
		return err.Error()
	}
	if need.Hint == "" {
		return "needs " + need.Need
	}
	return "needs " + need.Need + ": " + need.Hint
}

// WithAll returns policies and all others that apply, and those that are left out.
func (s *Subject) WithAll(list []Policy) ([]Policy, []LeftOut) {
	all, leftOut := s.Applying()
	for _, p := range all {
		if !slices.ContainsFunc(list, func(other Policy) bool { return other.Label() == p.Label() }) {
			list = append(list, p)
		}
	}
	return list, leftOut
}

package study

import (
	"context"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// Recorded is the name of the policy that repeats the schedule of a log. It is compared
// with others and never recommended.
const Recorded = "recorded"

// RecordedPolicy returns the schedule of the log as a policy. It is nil, with the reason, if jobs,
// times or machine are not those of the log, and nil without a reason if there is no log.
func RecordedPolicy(s *Subject, r *workload.Resampling) (schedule *Policy, reason string) {
	has := s.Workload.Has()
	k := slices.IndexFunc(s.specs, func(spec policy.Spec) bool { return spec.Needs.Recorded })
	switch {
	case k < 0:
		return nil, ""
	case !has.Recorded:
		return nil, has.Unrecorded
	case r != nil:
		return nil, "the jobs are resampled"
	}
	p := PolicyOf(s.specs[k])
	return &p, ""
}

func (p Policy) recorded() bool { return p.Spec.Needs.Recorded }

// admissionsUnder returns the admissions of a policy. The schedule of a log has only those that
// admit all or, if there are none, the first one, which Check refuses.
func admissionsUnder(p Policy, admissions []Admission) []Admission {
	if !p.recorded() {
		return admissions
	}
	all := slices.DeleteFunc(slices.Clone(admissions), func(a Admission) bool { return !a.all() })
	if len(all) == 0 {
		return admissions[:1]
	}
	return all
}

// all reports whether an admission is the one that lets every job in.
func (a Admission) all() bool {
	return (a.Name == "" || a.Name == scenario.AdmitAll) && a.Admit == nil && a.Rule == nil
}

// addRecorded appends the schedule of the log to the policies of a comparison with given
// admissions, nil being all. If there is a log that cannot be compared, it returns why.
func addRecorded(s *Subject, policies []Policy, admissions []Admission, r *workload.Resampling) ([]Policy, string) {
	schedule, reason := RecordedPolicy(s, r)
	if schedule == nil || admissions != nil && !slices.ContainsFunc(admissions, Admission.all) {
		return policies, reason
	}
	return append(slices.Clip(policies), *schedule), ""
}

// unrecorded says why the schedule of the log is left out, if there is a reason.
func unrecorded(reason string) []Warning {
	if reason == "" {
		return nil
	}
	return []Warning{fact(WarnUnrecorded, reason)}
}

// overcommitted says where the schedule of the log uses more units than the machine has.
func (e *Experiment) overcommitted(unit string) []Warning {
	if !e.Policy.recorded() {
		return nil
	}
	var most busiest
	if _, err := e.Run(context.Background(), 0, &most); err != nil || most.used <= most.units {
		return nil
	}
	names := []string{unit}
	if p := e.Workload.Pools(); p != nil {
		names = []string{p.List[most.site].Unit, p.List[most.site].Name}
	}
	return []Warning{fact(WarnOvercommitted, names...).with(float64(most.used), float64(most.units))}
}

// busiest observes the most processors in use at a time beyond those of their site.
type busiest struct{ used, units, site int }

func (b *busiest) Observe(e simulate.Event) {
	if e.Kind == simulate.Started && -e.Site.Free() > b.used-b.units {
		b.used, b.units, b.site = e.Site.Processors()-e.Site.Free(), e.Site.Processors(), e.Site.Index()
	}
}

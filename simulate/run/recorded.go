package run

import (
	"context"
	"slices"

	"revopt/model/scenario"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// RecordedPolicy returns the schedule of the log as a policy. It is nil, with the reason, if jobs,
// times or machine are not those of the log, and nil without a reason if there is no log.
func RecordedPolicy(s *subject.Subject, r *workload.Resampling) (schedule *subject.Policy, reason string) {
	has := s.Workload.Has()
	k := slices.IndexFunc(s.Specs, func(spec policy.Spec) bool { return spec.Needs.Recorded })
	switch {
	case k < 0:
		return nil, ""
	case !has.Recorded:
		return nil, has.Unrecorded
	case r != nil:
		return nil, "the jobs are resampled"
	}
	p := subject.PolicyOf(s.Specs[k])
	return &p, ""
}

// all reports whether an admission is the one that lets every job in.
func (a Gate) all() bool {
	return (a.Name == "" || a.Name == scenario.AdmitAll) && a.Admit == nil && a.Rule == nil
}

// AddRecorded appends the schedule of the log to the policies of a comparison with given
// admissions, nil being all. If there is a log that cannot be compared, it returns why.
func AddRecorded(s *subject.Subject, policies []subject.Policy, admissions []Gate,
	r *workload.Resampling) ([]subject.Policy, string) {
	schedule, reason := RecordedPolicy(s, r)
	if schedule == nil || admissions != nil && !slices.ContainsFunc(admissions, Gate.all) {
		return policies, reason
	}
	return append(slices.Clip(policies), *schedule), ""
}

// Unrecorded says why the schedule of the log is left out, if there is a reason.
func Unrecorded(reason string) []warn.Warning {
	if reason == "" {
		return nil
	}
	return []warn.Warning{warn.New(warn.Unrecorded, reason)}
}

// Overcommitted says where the schedule of the log uses more units than the machine has.
func (e *Experiment) Overcommitted(unit string) []warn.Warning {
	if !e.Policy.RepeatsLog() {
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
	return []warn.Warning{warn.New(warn.Overcommitted, names...).With(float64(most.used), float64(most.units))}
}

// busiest observes the most processors in use at a time beyond those of their site.
type busiest struct{ used, units, site int }

func (b *busiest) Observe(e simulate.Event) {
	if e.Kind == simulate.Started && -e.Site.Free() > b.used-b.units {
		b.used = e.Site.Processors() - e.Site.Free()
		b.units = e.Site.Processors()
		b.site = e.Site.Index()
	}
}

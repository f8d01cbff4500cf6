package run

import (
	"context"
	"slices"

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

// AddRecorded appends the schedule of the log to the policies of a comparison with given
// admissions, nil being all. If there is a log that cannot be compared, it returns why.
func AddRecorded(s *subject.Subject, policies []subject.Policy, admissions []Admission,
	r *workload.Resampling) ([]subject.Policy, string) {
	schedule, reason := RecordedPolicy(s, r)
	if schedule == nil || admissions != nil && !slices.ContainsFunc(admissions, Admission.all) {
		return policies, reason
	}
	return append(slices.Clip(policies), *schedule), ""
}

// Unrecorded says why the schedule of the log is left out, if there is a reason.
func Unrecorded(reason string) []warn.Warning {
	if reason == "" {
		return nil
	}
	return []warn.Warning{warn.New("UNRECORDED", warn.Words("why", reason))}
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
	where := []warn.Value{warn.Words("unit", unit)}
	if p := e.Workload.Pools(); p != nil {
		site := p.List[most.site]
		where = []warn.Value{warn.Words("unit", site.Unit), warn.Words("pool", site.Name)}
	}
	units := []warn.Value{warn.Count("used", most.used), warn.Count("units", most.units), warn.Words("than", "the bound")}
	return []warn.Warning{warn.New("OVERCOMMITTED", append(where, units...)...)}
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

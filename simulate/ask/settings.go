package ask

import (
	"cmp"
	"slices"

	"revopt/internal/removed"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// settings are a request about runs whose words are read, as far as that needs no scenario.
type settings struct {
	Request
	objective run.Objective
	level     float64  // of confidence
	stop      run.Stop // Relative 0: no rule to stop
	span      float64  // of histories, s; 0: that of the log
	count     int      // replications that are asked for; 0: as many as the scenario says
}

// settings reads the words of a request about runs.
func (r Request) settings() (settings, error) {
	o := settings{Request: r, level: metric.DefaultLevel, count: r.Replications.Int()}
	var err error
	o.objective, err = r.readObjective()
	if err != nil {
		return o, err
	}
	if r.Level != "" {
		var ok bool
		o.level, ok = ParseFraction(r.Level)
		if !ok || o.level >= 1 {
			return o, Usagef("--level: expected a share above 0 and below 1 such as 0.95, got %q", r.Level)
		}
	}
	o.span, err = r.readSpan()
	if err != nil {
		return o, err
	}
	o.stop, err = r.readStop(o.objective)
	o.stop.Level = o.level
	return o, err
}

// readObjective returns the objective that is asked for.
func (r Request) readObjective() (run.Objective, error) {
	list := run.Objectives()
	name := cmp.Or(r.Objective, list[0].Name)
	i := slices.IndexFunc(list, func(o run.Objective) bool { return o.Name == name })
	if i < 0 {
		known := text.Each(list, func(o run.Objective) string { return o.Name })
		return run.Objective{}, Usagef("--objective: unknown objective %q%s", name, ExpectedOne(name, known))
	}
	return list[i], nil
}

// readSpan returns the length of histories.
func (r Request) readSpan() (float64, error) {
	switch {
	case !r.Resample && r.Span != "":
		return 0, Usagef("--span: expected --resample weeks with it")
	case !r.Resample:
		return 0, nil
	case r.Precision != "":
		return 0, Usagef("--precision: expected none with --resample: the range of spans does not shrink " +
			"with replications")
	case r.Span == "":
		return 0, nil
	}
	span, err := scenario.ParseTime(r.Span)
	if err != nil || !(span > 0) {
		return 0, Usagef("--span: expected a time above 0 such as 12w, got %q", r.Span)
	}
	return span, nil
}

// readStop returns the rule to stop, whose largest number of replications is that which is asked for.
func (r Request) readStop(o run.Objective) (run.Stop, error) {
	s := run.Stop{Column: cmp.Or(r.Metric, o.Column), Most: r.Replications.Int()}
	if r.Precision == "" {
		if r.Metric != "" {
			return s, Usagef("--metric: expected --precision with it, such as --precision 1%%")
		}
		return s, nil
	}
	var ok bool
	s.Relative, ok = ParseFraction(r.Precision)
	if !ok {
		return s, Usagef("--precision: expected a share of the mean above 0 such as 1%%, got %q", r.Precision)
	}
	if _, known := run.Lookup(s.Column); !known {
		if old, gone := removed.Find(removed.Measure, s.Column); gone {
			return s, Usagef("--metric: %s", old)
		}
		names := text.Each(run.Measures(), func(m run.Measure) string { return m.Name })
		return s, Usagef("--metric: unknown measure %q%s", s.Column, ExpectedOne(s.Column, names))
	}
	return s, nil
}

// policies returns the policies that are asked for, and why the schedule of a log is left out, if there is a reason.
func (q settings) policies(l *run.Lab, admissions []run.Admission) (list []subject.Policy, reason string,
	err error) {
	s := l.Subject()
	if len(q.Policies) > 0 {
		named, all, err := q.named(l.Specs())
		if all {
			named, _ = s.WithAll(named)
		}
		return named, "", err
	}
	list, err = s.Policies()
	if err != nil {
		return nil, "", err
	}
	list, reason = run.AddRecorded(s, list, admissions, q.resampling())
	return list, reason, nil
}

// named returns the policies that a request names, and whether it names all.
func (r Request) named(specs []policy.Spec) (list []subject.Policy, all bool, err error) {
	words := r.Policies
	if r.Command == "simulate" || r.Command == "validate" {
		words, all = WithoutAll(words...)
	}
	if len(words) > 0 {
		list, err = ParsePolicies(specs, words...)
	}
	return list, all && err == nil, err
}

// resampling returns how the jobs of a log are drawn anew, nil if they are not.
func (q settings) resampling() *workload.Resampling {
	if !q.Resample {
		return nil
	}
	return &workload.Resampling{Span: q.span}
}

// rows returns every policy behind every admission. The schedule of a log has no admission.
func (q settings) rows(l *run.Lab, policies []subject.Policy, admissions []run.Admission,
	d run.Detail) ([]Row, error) {
	all := []run.Admission{{Name: scenario.AdmitAll}}
	asked := admissions
	if asked == nil {
		asked = all
	}
	var list []Row
	for _, p := range policies {
		do, err := l.Policy(p)
		if err != nil {
			return nil, err
		}
		under := asked
		if p.RepeatsLog() {
			under = all
		}
		for _, a := range under {
			c := l.Base()
			c.Do, c.Admission, c.Detail = do, a, d
			c.Jobs = run.Jobs{Weeks: q.Resample, Span: q.span}
			r := Row{Label: p.Label(), Policy: p, Case: c}
			if len(under) > 1 {
				r.Label += ", " + a.Name
			}
			list = append(list, r)
		}
	}
	return list, nil
}

// present returns the place of the policy in use, the first of the scenario behind no admission; -1 if no row has it.
func present(s *subject.Subject, rows []Row) (int, error) {
	policies, err := s.Policies()
	if err != nil || len(policies) == 0 {
		return -1, err
	}
	return slices.IndexFunc(rows, func(r Row) bool {
		return r.Policy.Label() == policies[0].Label() && r.Case.Admission.Name == scenario.AdmitAll
	}), nil
}

// replications returns how many there are.
func (q settings) replications(s *subject.Subject) int {
	return cmp.Or(q.count, s.Replications(), 1)
}

// priced refuses jobs without prices if the value counts.
func (q settings) priced(s *subject.Subject) error {
	if w, ok := s.Workload.(*workload.Replay); ok && !q.objective.Smaller && !w.Pays() {
		return s.Misfit("expected jobs with prices: without them nothing has a value (give qos, or classes with prices)")
	}
	return nil
}

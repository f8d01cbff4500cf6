package ask

import (
	"cmp"
	"fmt"
	"slices"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/run"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// Request is what a question is asked with. The zero value asks for what the scenario states.
type Request struct {
	Line         string        // the command as it was typed
	Policies     []string      // lists of labels; nil: those of the scenario, else the usual one, and the schedule of a log
	Admissions   []string      // lists; nil: all
	Replications int           // 0: as many as the scenario says
	Precision    float64       // half width as a share of the mean at which to stop; 0: no rule to stop
	Metric       string        // that the precision is of; "" is the objective
	Level        float64       // of confidence; 0 is metric.DefaultLevel
	Objective    string        // its name; "" is the value
	Weeks        bool          // draws other histories from the weeks of a log
	Span         float64       // of these, s; 0: that of the log
	Plain        bool          // without control variates
	Widths       bool          // measures how groups of width are served, also where nothing is compared
	Users        bool          // has a table of users
	Jobs         int           // of a stream that a validation follows to their end; 0: the usual number
	Vary         scenario.Axis // of a validation: a field and its values; none: the scenario as it is
	Gap          float64       // at which a search for bounds stops, relative; 0 is the usual one

	Changes []string // of a what-if, such as nodes=+16
	Costs   []string // of added units
	Life    string   // of units that cost a price
	Formula bool     // shows the prediction of the queueing model, also on traces
	Alone   bool     // no histories of a log decide whether a change pays

	Version, Commit string // of the program
}

// objective returns the objective that is asked for.
func (q Request) objective() (run.Objective, error) {
	list := run.Objectives()
	name := cmp.Or(q.Objective, list[0].Name)
	i := slices.IndexFunc(list, func(o run.Objective) bool { return o.Name == name })
	if i < 0 {
		known := text.Each(list, func(o run.Objective) string { return o.Name })
		words := study.ExpectedOne(name, known)
		return run.Objective{}, study.Usagef("--objective: unknown objective %q%s", name, words)
	}
	return list[i], nil
}

// level returns the confidence of intervals.
func (q Request) level() float64 { return cmp.Or(q.Level, metric.DefaultLevel) }

// stop returns the rule to stop, whose largest number of replications is that which is asked for.
func (q Request) stop(o run.Objective) (run.Stop, error) {
	s := run.Stop{Column: cmp.Or(q.Metric, o.Column), Relative: q.Precision, Level: q.level(), Most: q.Replications}
	if _, known := run.Lookup(s.Column); !known {
		names := text.Each(run.Measures(), func(m run.Measure) string { return m.Name })
		return s, study.Usagef("--metric: unknown measure %q%s", s.Column, study.ExpectedOne(s.Column, names))
	}
	return s, nil
}

// policies returns the policies that are asked for, and why the schedule of a log is left out, if there is a reason.
func (q Request) policies(l *run.Lab, admissions []run.Gate) (list []subject.Policy, reason string,
	err error) {
	s := l.Subject()
	if q.Policies != nil {
		named, all := study.WithoutAll(q.Policies...)
		if len(named) > 0 {
			list, err = study.ParsePolicies(l.Specs(), named...)
		}
		if all && err == nil {
			list, _ = s.WithAll(list)
		}
		return list, "", err
	}
	list, err = s.Policies()
	if err != nil {
		return nil, "", err
	}
	list, reason = run.AddRecorded(s, list, admissions, q.resampling())
	return list, reason, nil
}

// admissions returns the admissions that are asked for; nil: all jobs.
func (q Request) admissions(s *subject.Subject) ([]run.Gate, error) {
	return parseAdmissions(s, q.Admissions)
}

// parseAdmissions reads lists of admissions; nil: all jobs.
func parseAdmissions(s *subject.Subject, values []string) ([]run.Gate, error) {
	list, err := study.ParseAdmissions(s, values)
	if err != nil {
		return nil, err
	}
	for _, a := range list {
		if a.Name == scenario.AdmitPrices && len(list) > 1 {
			return nil, study.Usagef("--admission: prices cannot be combined with other admissions")
		}
	}
	return list, nil
}

// rows returns every policy behind every admission. The schedule of a log has no admission.
func (q Request) rows(l *run.Lab, policies []subject.Policy, admissions []run.Gate,
	d run.Detail) ([]Row, error) {
	all := []run.Admission{{Name: scenario.AdmitAll}}
	asked := text.Each(admissions, func(a run.Gate) run.Admission {
		return run.Admission{Name: a.Name, Admit: a.Admit}
	})
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
			c.Jobs = run.Jobs{Weeks: q.Weeks, Span: q.Span}
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
func (q Request) replications(s *subject.Subject) int {
	return cmp.Or(q.Replications, s.Replications(), 1)
}

// NoReplicationError is a question of which no replication was finished.
type NoReplicationError struct{ Err error }

func (e *NoReplicationError) Error() string {
	return fmt.Sprintf("no replication was finished: %v", e.Err)
}

func (e *NoReplicationError) Unwrap() error { return e.Err }

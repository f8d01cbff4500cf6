package whatif

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/subject"
)

// LostJobs are jobs of a customer that leave without being served, means.
type LostJobs struct {
	Name   string        `json:"name"`
	Jobs   metric.Number `json:"jobs"`
	Of     metric.Number `json:"of"` // submitted
	Before metric.Number `json:"before"`
}

// lostJobs counts jobs of each customer that leave without being served, by a measure.
func lostJobs(measure string, base, s *state, n int) []LostJobs {
	list := []LostJobs{}
	before := base.subject.Names()
	for i, name := range s.subject.Names() {
		l := LostJobs{Name: name, Jobs: s.mean(measure, i, n), Of: s.mean("jobs_submitted", i, n)}
		if k := slices.Index(before, name); k >= 0 {
			l.Before = base.mean(measure, k, n)
		}
		if l.Jobs > 0 || l.Before > 0 {
			list = append(list, l)
		}
	}
	return list
}

// keptAway counts jobs of each customer with a demand that come at the prices before and
// not at those after. A stream has as many jobs in all at any price, so that its shares count.
func keptAway(base, s *state, n int) []LostJobs {
	list := []LostJobs{}
	for _, now := range base.subject.Asked() {
		k := slices.IndexFunc(s.subject.Asked(), func(p subject.AskedPrice) bool { return p.Name == now.Name })
		if k < 0 || s.subject.Asked()[k].Comes >= now.Comes {
			continue
		}
		before := base.mean("jobs_submitted", slices.Index(base.subject.Names(), now.Name), n)
		jobs := before - s.mean("jobs_submitted", slices.Index(s.subject.Names(), now.Name), n)
		if s.subject.Workload.Stream() > 0 {
			jobs = before * (1 - s.subject.Asked()[k].Comes/now.Comes)
		}
		list = append(list, LostJobs{Name: now.Name, Jobs: jobs, Of: before})
	}
	return list
}

// ServedWorse is the mean wait of a customer that a change harms, s.
type ServedWorse struct {
	Name string `json:"name"`
	EstimatePair
}

// servedWorse fills in the customers that wait longer, by more than chance, the worst first.
func (r *ChangeResult) servedWorse(w *WhatIf, base, s *state, n int) {
	const longer = 0.05 // of the mean wait
	before := base.subject.Names()
	for i, name := range s.subject.Names() {
		if k := slices.Index(before, name); k >= 0 {
			p := w.pair(base.values(metric.MeanWait(), k, n), s.values(metric.MeanWait(), i, n))
			if p.Difference.Mean > longer*p.Before.Mean && r.Beyond(p.Difference) {
				r.Worse = append(r.Worse, ServedWorse{name, p})
			}
		}
	}
	slices.SortStableFunc(r.Worse, func(a, b ServedWorse) int {
		return cmp.Compare(b.After.Mean/b.Before.Mean,
			a.After.Mean/a.Before.Mean)
	})
}

// PromiseChange is what becomes of a promise.
type PromiseChange struct {
	Name         string         `json:"name"`
	Within       metric.Number  `json:"within"` // s, after
	Level        metric.Number  `json:"level"`  // after
	EstimatePair                // shares of submitted jobs; before, of what was promised then
	OfAdmitted   study.Estimate `json:"kept_of_admitted"` // after
	Kept         string         `json:"kept"`             // after: kept, not kept, undecided or void
}

func (r *ChangeResult) promises(w *WhatIf, base, s *state, n int) {
	kept, _ := metric.Lookup("promise_kept")
	admitted, _ := metric.Lookup("promise_kept_of_admitted")
	before := subject.Sections(base.subject.Workload)
	for _, c := range subject.Sections(s.subject.Workload) {
		if c.Promise == nil {
			continue
		}
		unknown := study.Estimate{Mean: metric.Number(math.NaN())}
		column := s.outcome.Column(c.At.Customer, c.At.Pool)
		after := s.values(kept, column, n)
		p := PromiseChange{Name: c.Label(), Within: metric.Number(c.Promise.Within),
			Level: metric.Number(c.Promise.Level), EstimatePair: EstimatePair{unknown, w.estimate(after), unknown},
			OfAdmitted: w.estimate(s.values(admitted, column, n))}
		if k := slices.IndexFunc(before, func(b subject.Section) bool { return b.Label() == c.Label() }); k >= 0 {
			was := before[k].At
			p.EstimatePair = w.pair(base.values(kept, base.outcome.Column(was.Customer, was.Pool), n), after)
		}
		p.Kept = study.PromiseState(p.After, c.Promise.Level, !s.experiment.Random())
		r.Promises = append(r.Promises, p)
	}
}

// ofPromises reports whether a change is one of promises.
func (c Change) ofPromises() bool {
	about := func(o scenario.Override) bool { return strings.Contains(o.Path, ".slo") }
	return slices.ContainsFunc(c.Set, about)
}

// AdmissionOutcome is which jobs an admission turns away.
type AdmissionOutcome struct {
	Name    string               `json:"name"`
	Classes []TurnedAway         `json:"classes"`
	Asked   []subject.AskedPrice `json:"-"` // prices that were chosen
	// the same in words; "" until package report makes them
	Prices string                    `json:"prices,omitempty" save:"-"`
	Rule   []analytic.ClassThreshold `json:"thresholds,omitempty"`

	// InSample says that a search found the admission on the very jobs of the trace
	// that it is measured on.
	InSample bool `json:"in_sample,omitempty"`
}

// TurnedAway is how many jobs of a customer are refused.
type TurnedAway struct {
	Name      string        `json:"name"`
	Admit     metric.Number `json:"admit"`     // probability; null where a rule decides
	Submitted metric.Number `json:"submitted"` // jobs of a replication, mean
	Refused   metric.Number `json:"refused"`   // likewise, as in ChangeResult
}

func (r *ChangeResult) admission(s *state, n int) {
	a := s.experiment.Admission
	customers := subject.Parties(s.subject.Workload)
	r.Admission = AdmissionOutcome{Name: a.Name, Rule: a.Thresholds(customers)}
	if s.priced {
		r.Admission.Asked = s.subject.Asked()
	}
	if t := s.subject.Scenario.Trace; t != nil {
		r.Admission.InSample = s.searched && !model.Generated(t.File)
	}
	for i, name := range customers {
		column := i
		if p := s.subject.Workload.Pools(); p != nil && p.Cut {
			if p.Sections[i].Pool < 0 {
				continue
			}
			column = s.outcome.Column(p.Sections[i].Customer, p.Sections[i].Pool)
		}
		t := TurnedAway{name, 1, s.mean("jobs_submitted", column, n), s.mean("jobs_rejected", column, n)}
		if a.Rule != nil {
			t.Admit = metric.Number(math.NaN())
		} else if a.Admit != nil {
			t.Admit = metric.Number(a.Admit[i])
		}
		r.Admission.Classes = append(r.Admission.Classes, t)
	}
}

// CustomerServed is how a customer is served, means of a replication. Jobs submitted are
// completed, or lost in one of four ways.
type CustomerServed struct {
	Name      string        `json:"name"`
	Submitted metric.Number `json:"jobs_submitted"`
	Completed metric.Number `json:"jobs_completed"`
	Refused   metric.Number `json:"jobs_rejected"`
	GivenUp   metric.Number `json:"jobs_given_up"`
	Expired   metric.Number `json:"jobs_expired"`
	Killed    metric.Number `json:"jobs_killed"`
	MeanWait  metric.Number `json:"mean_wait"` // s
}

// Customer returns the customer of a name; the zero value where there is none.
func (r *ChangeResult) Customer(name string) CustomerServed {
	for _, c := range r.Customers {
		if c.Name == name {
			return c
		}
	}
	return CustomerServed{}
}

// Lost returns how many jobs are not completed, or kept away by prices, mean of a replication.
func (r *ChangeResult) Lost() (sum metric.Number) {
	for _, l := range r.KeptAway {
		sum += l.Jobs
	}
	for _, c := range r.Customers {
		sum += c.Refused + c.GivenUp + c.Expired + c.Killed
	}
	return sum
}

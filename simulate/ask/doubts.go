package ask

import (
	"math"
	"slices"

	"revopt/model"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// poolWarnings says which jobs pools do not serve as their customers may expect.
func poolWarnings(p *workload.Pools) (list []warn.Warning) {
	if p == nil {
		return nil
	}
	n := p.Notes
	warn.AddIf(&list, n.Unplaced > 0, warn.New("NO_POOL", warn.Count("jobs", n.Unplaced)))
	pair := func(code string, pools [2]int, jobs int64) {
		names := subject.PoolNames(p, pools[:])
		warn.AddIf(&list, jobs > 0, warn.New(code, warn.Words("first", names[0]), warn.Words("second", names[1]),
			warn.Count("jobs", jobs)))
	}
	pair("TWO_POOLS", n.Pair, n.Wanted)
	pair("MIXED_UNITS", n.Apart, n.Mixed)
	for i, pool := range p.List {
		warn.AddIf(&list, n.Wide[i] > 0, warn.New("TOO_WIDE", warn.Words("pool", pool.Name),
			warn.Words("unit", pool.Unit), warn.Count("jobs", n.Wide[i]), warn.Count("units", pool.Units)))
	}
	for i, jobs := range n.Unpriced {
		if s := p.Sections[i]; jobs > 0 {
			customer := warn.Words("customer", p.Customers[s.Customer].Name)
			list = append(list, warn.New("NO_PRICE", customer, warn.Words("pool", p.List[s.Pool].Name),
				warn.Count("jobs", jobs)))
		}
	}
	return list
}

// limitWarnings names the limits that never let some jobs start.
func limitWarnings(s *subject.Subject) (list []warn.Warning) {
	r, ok := s.Workload.(*workload.Replay)
	if !ok {
		return nil
	}
	for i, jobs := range r.Wider() {
		l := s.Scenario.Limits[i]
		warn.AddIf(&list, jobs > 0, warn.New("WIDER_THAN_LIMIT", warn.Count("jobs", jobs),
			warn.Words("owner", l.Owner), warn.Words("name", l.Name()), warn.Count("units", l.Units),
			warn.Words("unit", s.Unit())))
	}
	return list
}

// unlimited names the policies, of the machine or of pools, that do not obey the limits of the scenario.
func unlimited(s *subject.Subject, policies []subject.Policy) (list []warn.Warning) {
	if s.Scenario.Limits == nil {
		return nil
	}
	pooled, _ := s.Pooled() // an error of it is told where the policies are made
	for _, p := range pooled {
		if p != nil {
			policies = append(slices.Clip(policies), *p)
		}
	}
	var names []string
	for _, p := range policies {
		if !p.Spec.Limited && !p.Spec.Needs.Recorded && !slices.Contains(names, p.Label()) {
			names = append(names, p.Label())
		}
	}
	warn.AddIf(&list, names != nil, warn.New("LIMITS_IGNORED", warn.Words("policies", names...)))
	return list
}

// SubjectWarnings says where the simulated machine or jobs are not quite those of the scenario.
func SubjectWarnings(s *subject.Subject) []warn.Warning {
	list := warn.Scenario(s.Scenario, false)
	w := s.Workload
	load := w.Load()
	stated := s.Scenario.Load
	nodes := float64(s.Nodes())
	warn.AddIf(&list, w.Stream() > 0 && math.Abs(load-stated) > 1e-9*stated,
		warn.New("WHOLE_NODES", warn.Ratio("jobs", s.Scenario.Parallel), warn.Count("nodes", nodes),
			warn.Ratio("load", load)))
	warn.AddIf(&list, w.Stream() == 0 && (math.IsInf(load, 1) || math.IsNaN(load)), warn.New("INSTANT"))
	warn.AddIf(&list, s.Scenario.Unlimited != nil,
		warn.New("UNLIMITED", warn.Words("classes", s.Scenario.Unlimited...)))
	for _, c := range w.Customers() {
		for i, width := range c.Width.Values {
			warn.AddIf(&list, width > nodes && c.Width.Weights[i] > 0,
				warn.New("TOO_WIDE", warn.Words("class", c.Name), warn.Ratio("width", width), warn.Count("nodes", nodes)))
		}
	}
	list = append(append(list, poolWarnings(w.Pools())...), limitWarnings(s)...)
	if t := s.Trace; t != nil {
		if t.OtherMachine() && !s.Unlike() {
			values := []warn.Value{warn.Words("trace", s.Scenario.Trace.File), warn.Words("unit", s.Unit())}
			if s.Scenario.Pools != nil {
				values = append(values, warn.Words("field", "pools"))
			}
			values = append(values, warn.Count("recorded", t.HeaderNodes()), warn.Count("stated", t.Nodes()))
			list = append(list, warn.New("OTHER_MACHINE", values...))
		}
		asked, allocated := t.Widths()
		list = append(list, logWarnings(t.Width(), asked, allocated, t.Cleaning())...)
		r, ok := w.(*workload.Replay)
		if ok {
			list = append(list, unmatched(s, r)...)
		}
		for _, c := range w.Customers() {
			warn.AddIf(&list, c.Demand != nil && c.Rate > 1+1e-9,
				warn.New("DEMAND", warn.Words("class", c.Name), warn.Ratio("times", c.Rate)))
		}
		if ok && r.Others() > 0 {
			list = append(list, warn.New("OTHERS", warn.Count("jobs", r.Others())))
		}
		growth := s.Scenario.Growth
		warn.AddIf(&list, growth != 0, warn.New("GROWTH", warn.Share("growth", growth)))
	}
	return list
}

// logWarnings says by how much the work of a log, in unit-seconds, differs by the other rule for widths, if that is
// more than 1 %, and which jobs are left out.
func logWarnings(rule workload.WidthRule, asked, allocated float64, cleaned workload.Cleaning) (list []warn.Warning) {
	other, work, otherWork := workload.ByAllocated, asked, allocated
	if rule == workload.ByAllocated {
		other, work, otherWork = workload.ByAsked, allocated, asked
	} else {
		rule = workload.ByAsked
	}
	warn.AddIf(&list, math.Abs(work-otherWork) > 0.01*work, warn.New("WIDTHS", warn.Words("rule", string(rule)),
		warn.Words("other", string(other)), warn.Ratio("work", work), warn.Ratio("other_work", otherWork)))
	warn.AddIf(&list, cleaned.NoStart > 0, warn.New("NO_START", warn.Count("jobs", cleaned.NoStart)))
	return list
}

// unmatched names the customers to whom no job of the trace belongs.
func unmatched(s *subject.Subject, r *workload.Replay) []warn.Warning {
	var list []warn.Warning
	for _, i := range r.Unmatched() {
		why := "selector" // it matches no job
		if selector := s.Scenario.Selectors[i]; selector == nil {
			why = "rest" // of which there is none
		} else if s.Scenario.Trace.File == model.SP2Like {
			parties := [][]model.Party{selector.Users, selector.Groups, selector.Queues, selector.Partitions,
				selector.Accounts}
			if slices.ContainsFunc(parties, func(p []model.Party) bool { return p != nil }) {
				why = "generated" // such jobs have no users, groups or queues
			}
		}
		list = append(list, warn.New("UNMATCHED", warn.Words("class", r.Customers()[i].Name),
			warn.Words("trace", s.Scenario.Trace.File), warn.Words("why", why)))
	}
	return list
}

// PolicyWarnings says by what customers on a trace are ranked where a policy serves by
// rank, and which policies choose jobs by prices that the jobs do not have.
func PolicyWarnings(s *subject.Subject, policies []subject.Policy) (list []warn.Warning) {
	r, ok := s.Workload.(*workload.Replay)
	if !ok {
		return nil
	}
	ranked, unpriced := false, []string{}
	for _, p := range policies {
		ranked = ranked || p.Spec.Ranked
		if p.Spec.Needs.Prices && !r.Pays() {
			unpriced = append(unpriced, p.Label())
		}
	}
	if ranked && s.Scenario.Trace.QoS == nil && len(r.Customers()) > 1 {
		list = append(list, warn.New("RANKS"))
	}
	if len(unpriced) > 0 {
		list = append(list, warn.New("NO_PRICE", warn.Words("policies", unpriced...)))
	}
	return append(list, unlimited(s, policies)...)
}

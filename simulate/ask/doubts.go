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
	warn.AddIf(&list, n.Unplaced > 0, warn.New(warn.NoPool).With(float64(n.Unplaced)))
	warn.AddIf(&list, n.Wanted > 0, warn.New(warn.TwoPools, subject.PoolNames(p, n.Pair[:])...).With(float64(n.Wanted)))
	mixed := warn.New(warn.MixedUnits, subject.PoolNames(p, n.Apart[:])...)
	warn.AddIf(&list, n.Mixed > 0, mixed.With(float64(n.Mixed)))
	for i, pool := range p.List {
		jobs, units := float64(n.Wide[i]), float64(pool.Units)
		warn.AddIf(&list, jobs > 0, warn.New(warn.WiderThanPool, pool.Name, pool.Unit).With(jobs, units))
	}
	for i, jobs := range n.Unpriced {
		if s := p.Sections[i]; jobs > 0 {
			w := warn.New(warn.NoPrice, p.Customers[s.Customer].Name, p.List[s.Pool].Name)
			list = append(list, w.With(float64(jobs)))
		}
	}
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
		warn.New(warn.WholeNodes).With(s.Scenario.Parallel, nodes, load))
	warn.AddIf(&list, w.Stream() == 0 && (math.IsInf(load, 1) || math.IsNaN(load)), warn.New(warn.Instant))
	warn.AddIf(&list, s.Scenario.Unlimited != nil, warn.New(warn.Unlimited, s.Scenario.Unlimited...))
	for _, c := range w.Customers() {
		for i, width := range c.Width.Values {
			warn.AddIf(&list, width > nodes && c.Width.Weights[i] > 0,
				warn.New(warn.TooWide, c.Name).With(width, nodes))
		}
	}
	list = append(list, poolWarnings(w.Pools())...)
	if t := s.Trace; t != nil {
		if t.OtherMachine() && !s.Unlike() {
			names := []string{s.Scenario.Trace.File, s.Unit()}
			if s.Scenario.Pools != nil {
				names = append(names, "pools")
			}
			w := warn.New(warn.OtherMachine, names...)
			list = append(list, w.With(float64(t.HeaderNodes()), float64(t.Nodes())))
		}
		list = append(list, widthWarnings(t)...)
		noStart := t.Cleaning().NoStart
		warn.AddIf(&list, noStart > 0, warn.New(warn.NoStart).With(float64(noStart)))
		r, ok := w.(*workload.Replay)
		if ok {
			list = append(list, unmatched(s, r)...)
		}
		for _, c := range w.Customers() {
			warn.AddIf(&list, c.Demand != nil && c.Rate > 1+1e-9, warn.New(warn.Demand, c.Name).With(c.Rate))
		}
		if ok && r.Others() > 0 {
			list = append(list, warn.New(warn.Others).With(float64(r.Others())))
		}
		warn.AddIf(&list, s.Scenario.Growth != 0, warn.New(warn.Growth).With(s.Scenario.Growth))
	}
	return list
}

// widthWarnings says by how much the work of a log differs by the other rule for widths.
func widthWarnings(t *workload.Trace) []warn.Warning {
	asked, allocated := t.Widths()
	if t.Width() == workload.ByAllocated {
		return warn.Widths(string(workload.ByAllocated), string(workload.ByAsked), allocated, asked)
	}
	return warn.Widths(string(workload.ByAsked), string(workload.ByAllocated), asked, allocated)
}

// unmatched names the customers to whom no job of the trace belongs.
func unmatched(s *subject.Subject, r *workload.Replay) []warn.Warning {
	var list []warn.Warning
	for _, i := range r.Unmatched() {
		why := warn.UnmatchedSelector
		if selector := s.Scenario.Selectors[i]; selector == nil {
			why = warn.UnmatchedRest
		} else if s.Scenario.Trace.File == model.SP2Like {
			parties := [][]model.Party{selector.Users, selector.Groups, selector.Queues, selector.Partitions,
				selector.Accounts}
			if slices.ContainsFunc(parties, func(p []model.Party) bool { return p != nil }) {
				why = warn.UnmatchedGenerated
			}
		}
		list = append(list, warn.New(warn.Unmatched, r.Customers()[i].Name, s.Scenario.Trace.File, why))
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
		list = append(list, warn.Warning{Kind: warn.Ranks})
	}
	if len(unpriced) > 0 {
		list = append(list, warn.New(warn.Unpriced, unpriced...))
	}
	return list
}

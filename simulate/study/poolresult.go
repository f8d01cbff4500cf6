package study

import (
	"math"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/workload"
)

// PoolResult is a pool and the jobs that it is offered.
type PoolResult struct {
	Name   string        `json:"name"`
	Unit   string        `json:"unit"`
	Units  int           `json:"units"`
	Load   Number        `json:"load"`   // offered
	Jobs   Number        `json:"jobs"`   // of a replication, mean
	Group  []string      `json:"group"`  // the pools that jobs move between, this one among them; bounds are of all of them
	Bounds []BoundResult `json:"bounds"` // of a validation
}

// poolResults describes the pools of a workload, nil where the machine is one.
func poolResults(w workload.Workload) []PoolResult {
	pools := w.Pools()
	if pools == nil {
		return nil
	}
	list := text.Each(pools.List, func(p model.Pool) PoolResult {
		return PoolResult{Name: p.Name, Unit: p.Unit, Units: p.Units, Bounds: []BoundResult{}}
	})
	for _, group := range pools.Groups() {
		for _, i := range group {
			list[i].Group = text.Each(group, func(k int) string { return pools.List[k].Name })
			list[i].Load, list[i].Jobs = Number(math.NaN()), Number(math.NaN())
			if part, err := workload.Part(w, []int{i}); err == nil {
				list[i].Load, list[i].Jobs = Number(part.Load()), Number(part.Size())
			}
		}
	}
	return list
}

// PoolRow is what a policy does in one pool.
type PoolRow struct {
	Name, Unit string
	Units      int
	Load       Number    // offered
	Efficiency *Estimate // of a validation: value delivered in the pools of its group, as a share of their bound
	OfKind     *Estimate // likewise, of the least bound for its kind of policy
	Estimates
}

// SectionRow is the jobs of a customer in one pool.
type SectionRow struct {
	Pool    string
	Admit   float64    // NaN where a rule decides
	Promise *model.SLO // nil where nothing is promised there
	Estimates
}

// setPools fills in what a row does in each pool, and in each for each customer.
func (r *Row) setPools(pools *workload.Pools, o Outcome) {
	add := func(column int) Estimates {
		r.Values = append(r.Values, newValues(o, column))
		return o.estimates(r.Values[len(r.Values)-1])
	}
	for i, p := range pools.List {
		r.Pools = append(r.Pools, PoolRow{Name: p.Name, Unit: p.Unit, Units: p.Units, Estimates: add(o.Column(-1, i))})
	}
	for k, s := range pools.Sections {
		if !pools.Cut || s.Pool < 0 { // a customer is in one pool; no pool takes the jobs
			continue
		}
		admit := math.NaN()
		if r.Admission.Admit != nil {
			admit = r.Admission.Admit[k]
		}
		c := &r.Customers[s.Customer]
		if c.Pools == nil {
			c.Admit = admit
		} else if c.Admit != admit {
			c.Admit = math.NaN() // pool by pool
		}
		promise := pools.Customers[s.Customer].In(s.Pool).SLO
		if c.Promise != nil { // about all its jobs
			promise = nil
		}
		all := add(o.Column(s.Customer, s.Pool))
		c.Pools = append(c.Pools, SectionRow{pools.List[s.Pool].Name, admit, promise, all})
	}
}

// Section is what a row measures on its own: all jobs, those of a customer, of a pool, or of
// a customer in a pool.
type Section struct {
	Class, Pool string // "" is all
	Promise     *model.SLO
	Estimates
}

// Name names the customer, the pool, or the customer in the pool.
func (s Section) Name() string {
	if s.Class == "" || s.Pool == "" {
		return s.Class + s.Pool
	}
	return s.Class + " in " + s.Pool
}

// Sections returns all jobs, each customer, each pool, and each customer in each pool.
func (r *Row) Sections() []Section {
	list := []Section{{Estimates: r.Total}}
	for _, c := range r.Customers {
		list = append(list, Section{c.Name, "", c.Promise, c.Estimates})
	}
	for _, p := range r.Pools {
		list = append(list, Section{"", p.Name, nil, p.Estimates})
	}
	for _, c := range r.Customers {
		for _, s := range c.Pools {
			list = append(list, Section{c.Name, s.Pool, s.Promise, s.Estimates})
		}
	}
	return list
}

// parties names what an admission tells apart: the customers, each in each of its pools where
// they cut across pools.
func parties(w workload.Workload) []string {
	p := w.Pools()
	return each(names(w.Customers()), func(i int, name string) string {
		switch {
		case p == nil || !p.Cut:
			return name
		case p.Sections[i].Pool < 0:
			return name + " in no pool"
		}
		return Section{Class: name, Pool: p.List[p.Sections[i].Pool].Name}.Name()
	})
}

// section is a customer, or a customer in a pool, and the column of its measures.
type section struct {
	Section
	column int // negative for jobs that no pool takes
}

// sections returns the customers and, where these cut across pools, what parties names.
func (s *situation) sections() (list []section) {
	w := s.subject.Workload
	for i, c := range workload.Listed(w) {
		list = append(list, section{Section{Class: c.Name, Promise: c.SLO}, i})
	}
	if p := w.Pools(); p != nil && p.Cut {
		for i, c := range w.Customers() {
			own := section{Section{Class: c.Name}, -1}
			if at := p.Sections[i]; at.Pool >= 0 {
				own.Pool, own.column = p.List[at.Pool].Name, s.outcome.Column(at.Customer, at.Pool)
				if list[at.Customer].Promise == nil { // else it is about all its jobs
					own.Promise = c.SLO
				}
			}
			list = append(list, own)
		}
	}
	return list
}

// poolWarnings says which jobs pools do not serve as their customers may expect.
func poolWarnings(w workload.Workload) (list []Warning) {
	p := w.Pools()
	if p == nil {
		return nil
	}
	if n := p.Notes.Unplaced; n > 0 {
		list = append(list, fact(WarnNoPool).with(float64(n)))
	}
	if n := p.Notes.Wanted; n > 0 {
		list = append(list, fact(WarnTwoPools, p.List[p.Notes.Pair[0]].Name, p.List[p.Notes.Pair[1]].Name).with(float64(n)))
	}
	for i, n := range p.Notes.Wide {
		if pool := p.List[i]; n > 0 {
			list = append(list, fact(WarnWiderThanPool, pool.Name, pool.Unit).with(float64(n), float64(pool.Units)))
		}
	}
	for _, u := range p.Notes.Unpriced {
		list = append(list, fact(WarnNoPrice, p.Customers[u.Customer].Name, p.List[u.Pool].Name).with(float64(u.Jobs)))
	}
	return list
}

// setPools sets the bounds of pools and the efficiency of rows there.
func (r *Result) setPools(groups []BoundedGroup, order []int, bounds func(*BoundedPoint) []BoundResult) {
	for _, g := range groups {
		list := bounds(g.BoundedPoint)
		for _, pool := range g.Pools {
			r.Pools[pool].Bounds = list
			for k, i := range order {
				own, kind := NewEstimate(g.Efficiency(i)), NewEstimate(g.EfficiencyOfKind(i))
				row := &r.Policies[k].Pools[pool]
				row.Efficiency, row.OfKind = &own, &kind
			}
		}
	}
}

// members are the JSON of a pool under a policy.
func (p PoolRow) members() object {
	o := object{{"name", p.Name}, {"unit", p.Unit}, {"units", p.Units}, {"load", p.Load}}
	if p.Efficiency != nil {
		o = append(o, object{{"efficiency", p.Efficiency}, {"efficiency_of_kind", p.OfKind}}...)
	}
	return append(o, p.Estimates.members()...)
}

// promiseMembers are the JSON of a promise and how it is kept.
func promiseMembers(p *model.SLO, e Estimates) object {
	if p == nil {
		return nil
	}
	return object{{"promise", object{
		{"within", Number(p.Within)}, {"level", Number(p.Level)},
		{"kept", e.Get("promise_kept")}, {"kept_of_admitted", e.Get("promise_kept_of_admitted")},
	}}}
}

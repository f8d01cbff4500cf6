package study

import (
	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/workload"
)

// Section is jobs with measures of their own: of a customer, a pool, or a customer in a pool.
type Section struct {
	Name    string     // of the customer; "" is all
	Pool    string     // "" is all
	Promise *model.SLO // nil where nothing is promised; one without a pool is about all jobs of the customer

	at workload.Column
}

// Label names the customer, the pool, or both.
func (s Section) Label() string {
	if s.Name == "" || s.Pool == "" {
		return s.Name + s.Pool
	}
	return s.Name + " in " + s.Pool
}

// sections returns the sections of a workload, in the order of the columns of samples.
func sections(w workload.Workload) (list []Section) {
	p := w.Pools()
	for i, c := range workload.Listed(w) {
		list = append(list, Section{c.Name, "", c.SLO, workload.Column{Customer: i, Pool: -1}})
	}
	for _, at := range columnsOf(w)[min(len(list), len(columnsOf(w))):] {
		s := Section{Pool: p.List[at.Pool].Name, at: at}
		if at.Customer >= 0 {
			if s.Name = list[at.Customer].Name; list[at.Customer].Promise == nil {
				s.Promise = p.Customers[at.Customer].In(at.Pool).SLO
			}
		}
		list = append(list, s)
	}
	return list
}

// parties names what an admission tells apart: customers, or customers in pools.
func parties(w workload.Workload) []string {
	p := w.Pools()
	return each(names(w.Customers()), func(i int, name string) string {
		switch {
		case p == nil || !p.Cut:
			return name
		case p.Sections[i].Pool < 0:
			return name + " in no pool"
		}
		return name + " in " + p.List[p.Sections[i].Pool].Name
	})
}

// PoolResult is a pool and the jobs that it is offered.
type PoolResult struct {
	PoolHead
	Load   Number        `json:"load"`             // offered
	Jobs   Number        `json:"jobs"`             // of a replication, mean
	Group  []string      `json:"group"`            // the pools that jobs move between, this one among them; bounds are of all of them
	Bounds []BoundResult `json:"bounds"`           // of a validation
	Policy string        `json:"policy,omitempty"` // of this pool alone
}

// Unlike reports whether pools count in different units: sums of them mean nothing.
func (r *Result) Unlike() bool {
	return text.Differ(r.Pools, func(p PoolResult) string { return p.Unit })
}

// poolResults describes the pools of a workload, nil where the machine is one.
func poolResults(w workload.Workload) []PoolResult {
	p := w.Pools()
	if p == nil {
		return nil
	}
	list := make([]PoolResult, len(p.List))
	for _, group := range p.Groups() {
		for _, i := range group {
			own, part := p.List[i], partOf(w, []int{i})
			list[i] = PoolResult{PoolHead{own.Name, own.Unit, own.Units}, Number(part.Load()), Number(part.Size()),
				poolNames(p, group), []BoundResult{}, ""}
		}
	}
	return list
}

// subjectPools describes the pools with the policies that replace others there.
func subjectPools(s *Subject) []PoolResult {
	list := poolResults(s.Workload)
	own, _ := s.pooled() // an error is that of every plan
	for i, p := range own {
		if p != nil {
			list[i].Policy = p.Label()
		}
	}
	return list
}

func poolNames(p *workload.Pools, list []int) []string {
	return text.Each(list, func(i int) string { return p.List[i].Name })
}

// PoolRow is what a row does in one pool, beside its measures.
type PoolRow struct {
	PoolHead
	Load       Number    // offered
	Efficiency *Estimate // of a validation: value delivered in the pools of its group, as a share of their bound
	OfKind     *Estimate // likewise, of the least bound for its kind of policy
}

func setPoolBounds(r *Result, groups []BoundedGroup, order []int, bounds func(*BoundedPoint) []BoundResult) {
	for _, g := range groups {
		for _, pool := range g.Pools {
			r.Pools[pool].Bounds = bounds(g.BoundedPoint)
			for k, i := range order {
				own, kind := NewEstimate(g.Efficiency(i)), NewEstimate(g.EfficiencyOfKind(i))
				row := &r.Policies[k].Pools[pool]
				row.Efficiency, row.OfKind = &own, &kind
			}
		}
	}
}

// poolWarnings says which jobs pools do not serve as their customers may expect.
func poolWarnings(p *workload.Pools) (list []Warning) {
	if p == nil {
		return nil
	}
	n := p.Notes
	addIf(&list, n.Unplaced > 0, fact(WarnNoPool).with(float64(n.Unplaced)))
	addIf(&list, n.Wanted > 0, fact(WarnTwoPools, poolNames(p, n.Pair[:])...).with(float64(n.Wanted)))
	addIf(&list, n.Mixed > 0, fact(WarnMixedUnits, poolNames(p, n.Apart[:])...).with(float64(n.Mixed)))
	for i, own := range p.List {
		jobs, units := float64(n.Wide[i]), float64(own.Units)
		addIf(&list, jobs > 0, fact(WarnWiderThanPool, own.Name, own.Unit).with(jobs, units))
	}
	for i, jobs := range n.Unpriced {
		if s := p.Sections[i]; jobs > 0 {
			list = append(list, fact(WarnNoPrice, p.Customers[s.Customer].Name, p.List[s.Pool].Name).with(float64(jobs)))
		}
	}
	return list
}

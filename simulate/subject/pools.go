package subject

import (
	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate/workload"
)

// Part returns the jobs of some pools on one machine.
func Part(w workload.Workload, pools []int) workload.Workload {
	part, err := workload.Part(w, pools)
	if err != nil {
		panic("subject: " + err.Error()) // a workload with pools has parts
	}
	return part
}

// Columns returns the columns of a workload with pools, nil for others.
func Columns(w workload.Workload) []workload.Column {
	if p := w.Pools(); p != nil {
		return p.Columns()
	}
	return nil
}

// Pools returns a subject for each pool: its units and the jobs that run there, as if
// they were all. A machine without pools has none.
func (s *Subject) Pools() ([]*Subject, error) {
	var list []*Subject
	for i := range s.Scenario.Pools {
		w, err := workload.Part(s.Workload, []int{i})
		if err != nil {
			return nil, err
		}
		part := *s
		part.Scenario = s.Scenario.InPool(i)
		part.Workload = w
		part.Recorded = nil
		part.Whole = s
		list = append(list, &part)
	}
	return list, nil
}

// PoolHead is a pool of a machine.
type PoolHead struct {
	Name  string `json:"name"`
	Unit  string `json:"unit"` // the word for one unit
	Units int    `json:"units"`
}

// Section is jobs with measures of their own: of a customer, a pool, or a customer in a pool.
type Section struct {
	Name    string     // of the customer; "" is all
	Pool    string     // "" is all
	Promise *model.SLO // nil where nothing is promised; one without a pool is about all jobs of the customer

	At workload.Column
}

// Label names the customer, the pool, or both.
func (s Section) Label() string {
	if s.Name == "" || s.Pool == "" {
		return s.Name + s.Pool
	}
	return s.Name + " in " + s.Pool
}

// Sections returns the sections of a workload, in the order of the columns of samples.
func Sections(w workload.Workload) (list []Section) {
	p := w.Pools()
	for i, c := range workload.Listed(w) {
		list = append(list, Section{c.Name, "", c.SLO, workload.Column{Customer: i, Pool: -1}})
	}
	for _, at := range Columns(w)[min(len(list), len(Columns(w))):] {
		s := Section{Pool: p.List[at.Pool].Name, At: at}
		if at.Customer >= 0 {
			s.Name = list[at.Customer].Name
			if list[at.Customer].Promise == nil {
				s.Promise = p.Customers[at.Customer].In(at.Pool).SLO
			}
		}
		list = append(list, s)
	}
	return list
}

// Parties names what an admission tells apart: customers, or customers in pools.
func Parties(w workload.Workload) []string {
	p := w.Pools()
	return text.EachAt(ClassNames(w.Customers()), func(i int, name string) string {
		switch {
		case p == nil || !p.Cut:
			return name
		case p.Sections[i].Pool < 0:
			return name + " in no pool"
		}
		return name + " in " + p.List[p.Sections[i].Pool].Name
	})
}

func PoolNames(p *workload.Pools, list []int) []string {
	return text.Each(list, func(i int) string { return p.List[i].Name })
}

package plan

import (
	"slices"

	"revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// ServedBy returns the groups of jobs of a subject whose waits are measured: its customers, and the groups of width of
// its pools or of its machine.
func ServedBy(s *subject.Subject) *run.JobGroups {
	l := &run.JobGroups{Customers: s.Names()}
	if p := s.Workload.Pools(); p != nil {
		for i, pool := range p.List {
			m := run.Widths{Name: pool.Name, Units: pool.Units, Unit: s.Scenario.Pools[i].Unit}
			l.Machines = append(l.Machines, m)
		}
	} else {
		l.Machines = []run.Widths{{Units: s.Nodes(), Unit: s.Unit()}}
	}
	return l
}

// placesOf returns the customer of each class of a workload and the machine of each of its sites, by their places in
// a layout; -1 if it does not have them.
func placesOf(l *run.JobGroups, w workload.Workload) (customers, machines []int) {
	pools := w.Pools()
	for class := range w.Customers() {
		customer := class
		if pools != nil {
			customer = pools.Sections[class].Customer
		}
		if customer >= len(l.Customers) {
			customer = -1
		}
		customers = append(customers, customer)
	}
	for site := range w.Sites() {
		name := ""
		if pools != nil {
			name = pools.List[site].Name
		}
		machines = append(machines, slices.IndexFunc(l.Machines, func(m run.Widths) bool { return m.Name == name }))
	}
	return customers, machines
}

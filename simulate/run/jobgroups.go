package run

import "slices"

// The kinds of groups.
const (
	ByCustomer = "customer"
	ByWidth    = "width"
)

// JobGroup is jobs that are served alike: those of a customer, or those of some widths on a machine.
type JobGroup struct {
	Kind string `json:"kind"`           // ByCustomer or ByWidth
	Name string `json:"name"`           // of the customer, or of the pool; "" is a machine without pools
	From int    `json:"from,omitempty"` // units, the least width; of ByWidth alone
	To   int    `json:"to,omitempty"`   // the largest width
	Unit string `json:"unit,omitempty"` // the word for one unit
}

// Widths is a machine or a pool whose jobs are grouped by width.
type Widths struct {
	Name  string `json:"name,omitempty"` // of a pool; "" is a machine without pools
	Units int    `json:"units"`
	Unit  string `json:"unit,omitempty"` // the word for one
}

// Groups returns the groups of width of the machine: up to 1/64 of its units, up to 1/16, up to 1/4, and above. Bounds
// are rounded down, and groups without a width are left out.
func (m Widths) Groups() []JobGroup {
	var list []JobGroup
	from := 1
	for _, part := range []int{64, 16, 4, 1} {
		if to := m.Units / part; to >= from {
			list = append(list, JobGroup{Kind: ByWidth, Name: m.Name, From: from, To: to, Unit: m.Unit})
			from = to + 1
		}
	}
	return list
}

// jobGroups is the groups whose waits are measured: every customer, then those of the machines.
type jobGroups struct {
	Customers []string `json:"customers"`
	Machines  []Widths `json:"machines"`
}

// Groups returns the groups, those of customers first.
func (l *jobGroups) Groups() []JobGroup {
	var list []JobGroup
	for _, name := range l.Customers {
		list = append(list, JobGroup{Kind: ByCustomer, Name: name})
	}
	for _, m := range l.Machines {
		list = append(list, m.Groups()...)
	}
	return list
}

// Observer returns an observer of one run. Customers are places in jobGroups.Customers, by the class of a job; machines
// are places in jobGroups.Machines, by site. A place below 0 is not measured.
func (l *jobGroups) Observer(customers, machines []int) *waitObserver {
	groups := l.Groups()
	o := &waitObserver{customers: customers, waits: make([]waits, len(groups))}
	for _, machine := range machines {
		var r ranges
		if machine >= 0 {
			m := l.Machines[machine]
			r.first = slices.IndexFunc(groups, func(g JobGroup) bool { return g.Kind == ByWidth && g.Name == m.Name })
			for _, g := range m.Groups() {
				r.to = append(r.to, g.To)
			}
		}
		o.sites = append(o.sites, r)
	}
	return o
}

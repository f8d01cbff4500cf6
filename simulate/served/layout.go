package served

import "slices"

// The kinds of groups.
const (
	Customer = "customer"
	Width    = "width"
)

// Group is jobs that are served alike: those of a customer, or those of some widths on a machine.
type Group struct {
	Kind string `json:"kind"`           // Customer or Width
	Name string `json:"name"`           // of the customer, or of the pool; "" is a machine without pools
	From int    `json:"from,omitempty"` // units, the least width; of Width alone
	To   int    `json:"to,omitempty"`   // the largest width
	Unit string `json:"unit,omitempty"` // the word for one unit
}

// Machine is a machine or a pool whose jobs are grouped by width.
type Machine struct {
	Name  string `json:"name,omitempty"` // of a pool; "" is a machine without pools
	Units int    `json:"units"`
	Unit  string `json:"unit,omitempty"` // the word for one
}

// Groups returns the groups of width of the machine: up to 1/64 of its units, up to 1/16, up to 1/4, and above. Bounds
// are rounded down, and groups without a width are left out.
func (m Machine) Groups() []Group {
	var list []Group
	from := 1
	for _, part := range []int{64, 16, 4, 1} {
		if to := m.Units / part; to >= from {
			list = append(list, Group{Kind: Width, Name: m.Name, From: from, To: to, Unit: m.Unit})
			from = to + 1
		}
	}
	return list
}

// Layout is the groups whose waits are measured: every customer, then those of the machines.
type Layout struct {
	Customers []string  `json:"customers"`
	Machines  []Machine `json:"machines"`
}

// Groups returns the groups, those of customers first.
func (l *Layout) Groups() []Group {
	var list []Group
	for _, name := range l.Customers {
		list = append(list, Group{Kind: Customer, Name: name})
	}
	for _, m := range l.Machines {
		list = append(list, m.Groups()...)
	}
	return list
}

// Observer returns an observer of one run. Customers are places in Layout.Customers, by the class of a job; machines
// are places in Layout.Machines, by site. A place below 0 is not measured.
func (l *Layout) Observer(customers, machines []int) *Observer {
	groups := l.Groups()
	o := &Observer{customers: customers, waits: make([]waits, len(groups))}
	for _, machine := range machines {
		var r ranges
		if machine >= 0 {
			m := l.Machines[machine]
			r.first = slices.IndexFunc(groups, func(g Group) bool { return g.Kind == Width && g.Name == m.Name })
			for _, g := range m.Groups() {
				r.to = append(r.to, g.To)
			}
		}
		o.sites = append(o.sites, r)
	}
	return o
}

package policy

import (
	"cmp"
	"slices"

	"revopt/simulate"
)

// Values of the option within.
const (
	WithinFIFO     = "fifo"     // jobs of one customer and width start first come, first served
	WithinCustomer = "customer" // the places of a customer in the order go to its jobs by arrival, whatever their widths
)

// families are the waiting jobs of a ValueBF by customer and width, if jobs of one family start first come, first
// served. The index says which family is next: when a job has its turn, the oldest of its family takes its place in the
// order; the job takes the place of that one. So a younger job never starts before an older one.
//
// # All policies: the order within a customer
//
// With the option within=fifo jobs of one customer and width start first come, first served: when one of them has its
// turn, the oldest takes its place in the order, and it takes the place that the oldest has by its own index; if that is
// past, it comes next. A job has its turn if it does not wait for its value and either fits itself or a reservation is
// left; all other jobs are passed over. The oldest starts if it fits, also one that would wait for its value, at a loss;
// otherwise it gets a reservation, if any are left, and no younger one starts. With within=customer the places of a
// customer in the order go to its jobs by arrival. Otherwise jobs of one customer stand as the order of the policy has
// them.
type families map[family]*simulate.Queue

// family is a customer and a width.
type family struct{ class, width int }

// add lets a job that has not started wait in its family, with whole in that of all widths.
func (f families) add(q *candidate, whole bool) {
	if !q.job.Waiting() {
		return
	}
	key := family{q.job.Class, q.job.Width}
	if whole {
		key.width = 0
	}
	if f[key] == nil {
		f[key] = new(simulate.Queue)
	}
	q.family = f[key]
	q.family.Push(q.job)
}

// follow takes note of a job that waits.
func (p *ValueBF) follow(q *candidate) {
	for q.job.Slot() >= len(p.bySlot) {
		p.bySlot = append(p.bySlot, nil)
	}
	p.bySlot[q.job.Slot()] = q
	if p.Limit != nil {
		p.Limit.Watch(q.job)
	}
	if p.families != nil {
		p.families.add(q, p.customers)
	}
}

// eldest returns the job that takes the place of the one whose turn it is, and whether it starts; nil if that place
// is no one's any more. It is the first of the family without a reservation. It starts if it fits and none before it has
// a reservation, so that none overtakes another; otherwise it gets one, if any are left.
func (p *ValueBF) eldest(c *simulate.Cluster, q *candidate, fits bool) (*candidate, bool) {
	switch {
	case q == nil || q.family == nil:
		return q, fits
	case !q.job.Waiting() || q.planned:
		return nil, false
	}
	first := true
	for j := q.family.Head(); j != nil; j = j.Behind() {
		o := p.bySlot[j.Slot()]
		if o.planned || !j.Waiting() {
			first = first && !o.planned
			continue
		}
		starts := first && p.fits(c, &orderItem{estimate: o.estimate, width: int32(j.Width)})
		if !starts && len(p.planned) >= p.Reservations {
			return nil, false
		}
		if o != q {
			p.push(c, orderItem{index: p.indexNow(p.entryOf(o)), id: q.job.ID, estimate: q.estimate, width: int32(j.Width), job: q})
			o.index = q.index
		}
		return o, starts
	}
	return nil, false
}

// entryOf returns the entry of a waiting job.
func (p *ValueBF) entryOf(q *candidate) *indexEntry {
	n, i := leafOf(&p.tree, mark{q.key, q.job.ID})
	return &n.leaf[i]
}

// serveCustomers is serve where the places of a customer go to its jobs by arrival. The order has all jobs of the queue
// that are considered. At a turn of a customer the next of its jobs starts if it fits; otherwise it gets a reservation, as
// long as there are some, or is passed over.
func (p *ValueBF) serveCustomers(c *simulate.Cluster) {
	slices.SortFunc(p.order, func(a, b orderItem) int { return cmp.Or(cmp.Compare(b.index, a.index), cmp.Compare(a.id, b.id)) })
	next := map[*simulate.Queue]*simulate.Job{} // by family, the last job that had a turn
	for _, r := range p.order {
		if c.Free() <= 0 {
			return
		}
		q := r.job
		if q.family != nil {
			j := next[q.family]
			if j == nil {
				j = q.family.Head()
			} else {
				j = j.Behind()
			}
			next[q.family] = j
			q = p.bySlot[j.Slot()]
		}
		q.index = r.index
		switch {
		case p.fits(c, &orderItem{estimate: q.estimate, width: int32(q.job.Width)}):
			p.launch(c, q)
		case len(p.planned) < p.Reservations:
			p.reserve(q)
		}
	}
}

// byCustomer gives jobs, which are in order of arrival, keys by which the places of a customer go to its jobs in this
// order.
func byCustomer(list []entry) {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return byMark(list[a], list[b]) })
	places := map[int][]int{}
	for place, i := range order {
		class := list[i].job.Class
		places[class] = append(places[class], place)
	}
	for i := range list {
		class := list[i].job.Class
		list[i].key = float64(places[class][0])
		places[class] = places[class][1:]
	}
}

// withinOption is that of a policy whose jobs of a customer stand as its order has them, or by arrival.
func withinOption() Option { return Option{Name: "within", Values: []string{"order", WithinCustomer}} }

package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// Values of the option within.
const (
	WithinFIFO     = "fifo"     // jobs of one customer and width start first come, first served
	WithinCustomer = "customer" // the places of a customer in the order go to its jobs by arrival, whatever their widths
)

// families are the waiting jobs of a ValueBF by customer and width, if jobs of one family start first come, first
// served. The index says which family is next: when a job has its turn, the oldest job of its family that can
// start does, and takes its place in the order; the job takes the place of that one. So a younger
// job starts first only where the older one would disturb a reservation.
//
// # All policies: the order within a customer
//
// With the option within=fifo jobs of one customer and width start first come, first served: when one of them has its
// turn, the oldest that can start does, and takes its place in the order. With within=customer the places of a
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

// eldest returns the job that takes the place of the one whose turn it is, and whether it fits; nil if that place
// is no one's any more. If none of the older jobs fits, the turn stays where it is, unless it is one for a reservation.
func (p *ValueBF) eldest(c *simulate.Cluster, q *candidate, fits bool) (*candidate, bool) {
	switch {
	case q == nil || q.family == nil:
		return q, fits
	case !q.job.Waiting() || q.planned:
		return nil, false
	}
	shortest := math.Inf(1) // of the older jobs for which there is no room
	for j := q.family.Head(); j != q.job; j = j.Behind() {
		o := p.bySlot[j.Slot()]
		if !j.Waiting() || o.planned || fits && o.estimate >= shortest {
			continue
		}
		room := p.fits(c, &orderItem{estimate: o.estimate, width: int32(j.Width)})
		if room || !fits {
			p.push(c, orderItem{index: p.indexNow(o), id: q.job.ID, estimate: q.estimate, width: int32(j.Width), job: q})
			o.index = q.index
			return o, room
		}
		shortest = o.estimate
	}
	return q, fits
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

// indexNow returns the index of a waiting job.
func (p *ValueBF) indexNow(q *candidate) float64 {
	if p.Reward != nil {
		return p.Reward.reward(q, p.now)
	}
	n, i := leafOf(&p.tree, mark{q.key, q.job.ID})
	return n.leaf[i].at(p.now, p.wave)
}

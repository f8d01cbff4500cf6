package policy

import (
	"math"

	"revopt/simulate"
)

// families are the waiting jobs of a ValueBF by customer and width, if jobs of one family start first come, first
// served. The index says which family is next: when a job has its turn, the oldest job of its family that can
// start does, and takes its place in the order; the job takes the place of that one. So a younger
// job starts first only where the older one would disturb a reservation.
type families map[family]*simulate.Queue

// family is a customer and a width.
type family struct{ class, width int }

// add lets a job that has not started wait in its family.
func (f families) add(q *candidate) {
	if !q.job.Waiting() {
		return
	}
	key := family{q.job.Class, q.job.Width}
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
		p.families.add(q)
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

// indexNow returns the index of a waiting job.
func (p *ValueBF) indexNow(q *candidate) float64 {
	if p.Reward != nil {
		return p.Reward.reward(q, p.now)
	}
	n, i := leafOf(&p.tree, mark{q.key, q.job.ID})
	return n.leaf[i].at(p.now, p.wave)
}

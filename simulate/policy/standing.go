package policy

import (
	"math"

	"revopt/simulate"
)

// terms are what an agreement is worth to a node, per second of runtime and of
// deadline: the units of a return.
type terms struct {
	worth float64 // by the budget
	fine  float64 // per second of delay
	hard  bool
}

// termsOf reads the agreement of a job.
func termsOf(j *simulate.Job) terms {
	v := &j.Value
	scale := j.Spec.Details.Estimate * v.Due
	return terms{worth: v.Price / scale, fine: v.Decay / scale, hard: v.Hard}
}

// note leaves them with a task.
func (a terms) note(t *simulate.Task) { t.Note = [2]float64{a.worth, a.fine} }

// claim is what a task asks of its node.
type claim struct {
	terms
	share float64 // of the node, to meet the deadline
	reach float64 // s to its end with that share
	ahead float64 // s to its deadline, negative if overdue
}

// claimOf returns the claim of a task. One that has spent its estimate is
// expected to end any moment.
func claimOf(t *simulate.Task, left, now float64) claim {
	c := claim{terms: terms{t.Note[0], t.Note[1], t.Hard}, share: demand(t, left, now), ahead: t.Due - now}
	if t.Over(left) || t.Spent(left, now) {
		c.ahead = min(0, c.ahead)
	} else {
		c.reach = max(left+(t.Estimate-t.Work), c.ahead)
	}
	return c
}

// beats reports whether the claim would be the best in place of one of the given
// return.
func (c *claim) beats(worth float64) bool { return c.worth > worth*(1+slack) }

// standing is what the claims on a node add up to. The zero value is an empty
// node.
type standing struct {
	total float64 // share of all
	hard  float64 // share of those with hard deadlines
	worth float64 // return of all, by the budgets
	best  claim   // the highest return by the budgets; of equals the first
	any   bool    // there is one

	// Of the soft ones other than the best, which share a shortfall:
	soft  float64 // share
	reach float64 // sum of fine reach
	ahead float64 // sum of fine ahead
}

// add adds a claim and reports whether it is the best so far.
func (s *standing) add(c *claim) bool {
	s.total += c.share
	s.worth += c.worth
	if c.hard {
		s.hard += c.share
	}
	if s.any && !c.beats(s.best.worth) {
		s.yield(c)
		return false
	}
	if s.any {
		s.yield(&s.best)
	}
	s.best, s.any = *c, true
	return true
}

// yield adds a claim that is not the best.
func (s *standing) yield(c *claim) {
	if !c.hard {
		s.soft += c.share
		s.reach += c.fine * c.reach
		s.ahead += c.fine * c.ahead
	}
}

// value returns the return of the node. With capacity for all it is the sum of
// the returns by the budgets. On a node that is short a claim that is cut to a
// part f of its share ends at reach/f, so that its return falls by
//
//	fine (reach/f - ahead)
//
// Yeo and Buyya (2005), (1), (2), (5), (6) and Algorithm 2.
func (s *standing) value() float64 {
	if s.total <= 1+slack {
		return s.worth
	}
	c := cutOf(s.hard, s.best.share, s.best.hard, s.soft)
	lost := 0.0
	if s.soft > 0 {
		if c.soft == 0 {
			return math.Inf(-1)
		}
		lost += s.reach/c.soft - s.ahead
	}
	if b := &s.best; !b.hard && c.best < 1 {
		if c.best <= slack {
			return math.Inf(-1)
		}
		lost += b.fine * (b.reach/c.best - b.ahead)
	}
	return s.worth - lost
}

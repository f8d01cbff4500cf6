package policy

import (
	"math"

	"revopt/simulate"
)

// outlook is what is known of the return of a node that is short until its
// rates are set anew. The hard tasks and the best run at their shares and keep
// them. A soft one with the share s and the rate r < s at one time, and its
// deadline a seconds later, has after t seconds the share
//
//	(a s - r t)/(a - t) = s + t (s - r)/(a - t)
//
// until that is 1, where it stays. With F the sum of (s - r)/a and A the least
// a, the soft shares have therefore risen by no less than t F, and by no more
// than t F A/(A - t). Their sum of fine reach falls at a constant rate.
type outlook struct {
	since float64 // the time of what follows
	until float64 // it holds before that time; 0 where nothing is known
	soft  float64 // share of the soft ones other than the best
	rise  float64 // F
	ahead float64 // A
	reach float64 // sum of fine reach of the same
	fall  float64 // of that, per second
	room  float64 // what the hard ones and the best leave
	best  claim
}

// The bounds are off by a margin for rounding, relative to the terms of a
// return. A time is off by some 1e-16 of it, which is in a share over the time
// to the deadline, and in a return over the room: no bounds are given where
// that time is less than nearest, relative to the clock, or the room is narrow.
const (
	caution = 1e-6
	nearest = 1e-5
	narrow  = 1e-3
)

// survey sets the outlook of a node that is short and has room, as of now.
func (b *book) survey(n *simulate.Node, now float64) {
	left := n.Left(b.best, now)
	best := claimOf(&n.Tasks[b.best], left, now)
	// The best may end before its deadline.
	limit, nearer := (left-nearest*n.Tasks[b.best].Work)/n.Tasks[b.best].Rate, best.ahead
	var soft, rise, reach, fall float64
	elapsed, skip := n.Elapsed(now), b.best
	for i := range n.Tasks {
		t := &n.Tasks[i]
		if t.Hard || i == skip {
			continue
		}
		left, ahead, fine := t.Left-t.Rate*elapsed+(t.Estimate-t.Work), t.Due-now, t.Note[1]
		if left >= ahead {
			soft++
			reach += fine * left
			fall += fine * t.Rate
			continue
		}
		share := left / ahead
		soft += share
		rise += (share - t.Rate) / ahead
		reach += fine * ahead
		fall += fine
		if ahead < nearer {
			nearer = ahead
		}
		if ahead-left < limit {
			limit = ahead - left
		}
	}
	b.outlook = outlook{
		since: now, soft: soft, rise: rise, ahead: nearer, reach: reach, fall: fall,
		room: 1 - b.hard - best.share, best: best,
	}
	if !b.blunder && soft > 0 {
		b.until = now + min(limit, nearer-nearest*now)
	}
}

// prospect is what becomes of the return of a node with a new claim.
type prospect uint8

const (
	unclear prospect = iota
	gain             // it does not fall
	loss
)

// foresee says whether the return of a node that is short falls with a new
// claim and, if not, what it is then at most.
func (b *book) foresee(n *simulate.Node, fresh *claim, now float64) (p prospect, most float64) {
	if b.isStuck() {
		// Unless the best gives way, which is a matter of its own.
		if fresh.beats(n.Tasks[b.best].Note[0]) {
			return unclear, 0
		}
		return loss, 0
	}
	if now >= b.until {
		b.survey(n, now)
	}
	if now >= b.until || b.room < narrow {
		return unclear, 0
	}
	return b.compare(fresh, now)
}

// compare is foresee where the outlook holds. On a node that is short and has
// room the return is linear in the soft shares,
//
//	worth + sum of fine ahead - soft (sum of fine reach)/room
//
// and so is what the claim adds: its bounds are where these shares have theirs.
func (b *book) compare(fresh *claim, now float64) (p prospect, most float64) {
	o := &b.outlook
	t := now - o.since
	soft, reach, ahead, room := o.soft+t*o.rise, o.reach-t*o.fall, b.due-b.fine*now, o.room
	spread := t * o.rise * t / (o.ahead - t) // of soft, from here up
	before := reach / room
	present := b.worth + ahead - soft*before
	switch best := &o.best; {
	case fresh.beats(best.worth):
		if !best.hard {
			late := best.fine * (best.ahead - t)
			soft, reach, ahead, room = soft+best.share, reach+late, ahead+late, room+best.share
		}
		room -= fresh.share
	case fresh.hard:
		room -= fresh.share
	default:
		soft += fresh.share
		reach += fresh.fine * fresh.reach
		ahead += fresh.fine * fresh.ahead
	}
	switch {
	case room < -narrow:
		return loss, 0
	case room < narrow:
		return unclear, 0
	}
	worth, after := b.worth+fresh.worth, reach/room
	value := worth + ahead - soft*after
	margin := caution * (worth + math.Abs(ahead) + soft*after)
	first := value - present
	last := first - (after-before)*spread
	switch {
	case min(first, last) > margin:
		return gain, value + margin
	case max(first, last) < -margin:
		return loss, 0
	}
	return unclear, 0
}

package slurm

import (
	"math"
	"slices"
	"strconv"
)

// shareNode is an account, or a user of an account, with its shares and its usage. The
// root is an account too.
type shareNode struct {
	parent  *shareNode // nil: the root
	kids    []*shareNode
	user    bool
	shares  float64
	total   float64 // shares of its kids
	usage   float64 // unit-seconds over fairness.scale, up to since
	since   float64 // fairness.sum when usage was brought up to date
	rate    float64 // units in use from then on
	late    float64 // usage of jobs that have ended since the last calculation, unit-seconds
	level   float64 // fair tree: shares over usage, both among its siblings
	portion float64 // classic: its part of all shares
	used    float64 // classic: its effective part of all usage
	factor  float64 // of a user: from 0, overserved, to 1
}

// fairness accounts for the usage of all pools, and turns it into factors by the fair
// tree rule or the classic rule of Slurm.
//
// A calculation lets all usage decay by one factor, and adds the same amount for each unit in use. So nodes keep their
// usage over the scale, the product of all decays, and the fairness keeps the sum of those amounts over the scale. A
// node whose jobs run on is then not touched by a calculation: its rate times the growth of the sum is its new usage.
// Factors depend on ratios of usage only.
type fairness struct {
	root       shareNode
	users      int
	calculated float64 // time of the last calculation
	scale      float64
	sum        float64
	young      []*ticket    // jobs that run and started after the last calculation
	ended      []*shareNode // with late usage
	stale      bool         // the factors are older
}

// add puts an account or a user with some shares, 1 if they are not given, below an account.
func (s *shareNode) add(shares string, user bool) *shareNode {
	kid := &shareNode{parent: s, user: user, shares: 1}
	if x, err := strconv.ParseFloat(shares, 64); err == nil {
		kid.shares = x
	}
	s.kids, s.total = append(s.kids, kid), s.total+kid.shares
	return kid
}

// over returns the usage of a unit that is used for some seconds, at the end of them.
// Slurm decays it by the whole time.
func (r *rules) over(seconds float64) float64 { return seconds * math.Pow(r.decay, seconds) }

// runs counts a job that starts, and ran one that stops.
func (b *books) runs(t *ticket) {
	if b.fair > 0 {
		t.young = len(b.young)
		b.young = append(b.young, t)
	}
}

func (b *books) ran(t *ticket, now float64) {
	if b.fair == 0 {
		return
	}
	usage := t.weight() * b.over(now-max(t.begun, b.calculated))
	last := len(b.young) - 1
	young := t.young <= last && b.young[t.young] == t
	if young {
		b.young[t.young] = b.young[last]
		b.young[t.young].young = t.young
		b.young = b.young[:last]
	}
	for s := t.party.share; s != nil; s = s.parent {
		if s.late == 0 {
			b.ended = append(b.ended, s)
		}
		s.late += usage
		if !young {
			s.settle(b.sum)
			s.rate -= t.weight()
		}
	}
}

// weight returns the units whose usage counts for a job.
func (t *ticket) weight() float64 { return float64(t.width) * t.party.qos.factor }

// calculate brings the calculation of priorities up to date: it takes place at multiples of
// PriorityCalcPeriod.
func (b *books) calculate(now float64) {
	at := math.Floor(now/b.period) * b.period
	if !b.varies || at <= b.calculated {
		return
	}
	if b.fair > 0 {
		b.use(math.Round((at - b.calculated) / b.period))
		b.stale = true
	}
	b.calculated = at
}

// use adds the usage of some periods. Jobs started or ended in the first one, or before.
func (b *books) use(periods float64) {
	for _, s := range b.ended {
		s.usage += s.late / b.scale
		s.late = 0
	}
	b.ended = b.ended[:0]
	b.elapse(1)
	for _, t := range b.young {
		usage := t.weight() * b.over(b.calculated+b.period-t.begun) / b.scale
		for s := t.party.share; s != nil; s = s.parent {
			s.settle(b.sum)
			s.usage += usage
			s.rate += t.weight()
		}
	}
	b.young = b.young[:0]
	if periods > 1 {
		b.elapse(periods - 1)
	}
}

// elapse lets some periods pass in which no job starts or ends.
func (b *books) elapse(periods float64) {
	decay := math.Pow(b.decay, b.period)
	all := math.Pow(decay, periods)
	sum := periods // of the powers of decay
	if decay < 1 {
		sum = (1 - all) / (1 - decay)
	}
	const least = 1e-100
	if b.scale*all < least {
		b.root.rescale(b.sum, b.scale*all)
		b.scale, b.sum = 1, 0
	} else {
		b.scale *= all
	}
	b.sum += b.over(b.period) * sum / b.scale
}

// settle brings the usage up to date.
func (s *shareNode) settle(sum float64) {
	s.usage += s.rate * (sum - s.since)
	s.since = sum
}

// rescale multiplies all usage, and begins a new sum.
func (s *shareNode) rescale(sum, by float64) {
	s.settle(sum)
	s.usage *= by
	s.since = 0
	for _, kid := range s.kids {
		kid.rescale(sum, by)
	}
}

// judge brings the factors up to date.
func (b *books) judge() {
	if !b.stale || b.fair == 0 {
		return
	}
	b.stale = false
	b.root.settle(b.sum)
	if b.classic {
		b.root.portion, b.root.used = 1, 1
		b.root.divide(b.sum, b.root.usage)
		return
	}
	w := fairTree{users: b.users, rank: b.users, next: b.users}
	b.root.weigh(b.sum)
	w.visit(b.root.kids, false)
}

// divide computes factors by the classic rule: 2 to the power of minus the effective usage
// over the shares, both as parts of all. The effective usage is between that of the user and
// that of its account.
func (s *shareNode) divide(sum, all float64) {
	for _, kid := range s.kids {
		kid.settle(sum)
		part := 0.0
		if all > 0 {
			part = min(kid.usage/all, 1)
		}
		kid.portion, kid.used = 0, s.used
		if s.total > 0 {
			kid.portion, kid.used = s.portion*kid.shares/s.total, part+(s.used-part)*kid.shares/s.total
		}
		if s.parent == nil {
			kid.used = part
		}
		kid.factor = 0
		if kid.portion > 0 {
			kid.factor = math.Exp2(-kid.used / kid.portion)
		}
		kid.divide(sum, all)
	}
}

// fairTree ranks users: siblings by shares over usage, depth first. The factor of a user is
// its rank, the best last, over the number of users.
type fairTree struct {
	users, rank int
	next        int // rank of the next user who does not tie
}

// weigh computes the levels of siblings: infinite without usage, 0 without shares.
func (s *shareNode) weigh(sum float64) {
	for _, kid := range s.kids {
		kid.settle(sum)
		switch {
		case kid.shares == 0:
			kid.level = 0
		case kid.usage == 0:
			kid.level = math.Inf(1)
		default:
			kid.level = kid.shares / s.total / (kid.usage / s.usage)
		}
		kid.weigh(sum)
	}
}

// visit ranks the users below siblings. Tied says that the first of them ties with the user
// before. Of equal siblings users come first, and accounts are merged.
func (w *fairTree) visit(siblings []*shareNode, tied bool) {
	slices.SortFunc(siblings, func(a, b *shareNode) int {
		switch {
		case a.level > b.level, a.level == b.level && a.user && !b.user:
			return -1
		case a.level < b.level, b.user && !a.user:
			return 1
		}
		return 0
	})
	for i := 0; i < len(siblings); i++ {
		s := siblings[i]
		if i > 0 {
			tied = s.level == siblings[i-1].level
		}
		if s.user {
			if !tied {
				w.rank = w.next
			}
			s.factor = float64(w.rank) / float64(w.users)
			w.next--
			continue
		}
		kids := s.kids
		for i+1 < len(siblings) && siblings[i+1].level == s.level {
			i++
			kids = append(slices.Clip(kids), siblings[i].kids...)
		}
		w.visit(kids, tied)
	}
}

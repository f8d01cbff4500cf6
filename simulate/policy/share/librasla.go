package share

import (
	"math"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// librasla is proportional share by return. See NewLibraSLA.
type librasla struct {
	SLATerms
	placement
	accounts []nodeAccount // by node

	now float64

	// Of the job at hand:
	need  simulate.Requirements
	share float64 // on a node of speed 1
	fresh claim
}

// SLATerms are the choices that LibraSLA leaves open. The zero value is the
// default.
type SLATerms struct {
	// Now computes the return of a node without the new job as of now, instead of as of
	// the last change of its list of jobs: Algorithm 1 does not compute it again.
	Now bool
}

// NewLibraSLA returns LibraSLA. On a short node a job with a share of zero earns minus infinity, and a soft best job
// is cut to the rest that the hard jobs leave.
//
// # Policy libra-sla
//
// Yeo and Buyya (2005), Algorithms 1 and 2; line 11 of Algorithm 2 is inverted in print, and this follows the text.
// Proportional share in which soft deadlines may be missed, at a penalty, and spare capacity goes to the job with the
// highest return:
//
//	return = utility / RE / D      utility = B - penalty · delay      (5)
//
// A node is in one of two states.
//
//   - Capacity for all (shares sum to at most 1): every job earns its budget, and the job with the highest return by
//     its budget, the best, gets the rest of the node.
//   - Short (shares sum to more than 1): hard jobs and the best job keep their shares; the other soft jobs share the
//     shortfall in proportion to theirs, and earn the utility at their later end.
//   - A node qualifies if its return with the job, the sum over its jobs, is no less than without it: that of the last
//     change of its jobs with return=last (Algorithm 1 does not compute it again), that of now with return=now. For a
//     hard deadline the hard shares must fit. The nodes with the highest return are taken.
//   - A parallel job is paid once, by its last task: B; B - penalty · delay if soft and late; 0 if hard and late.
//
// Rejected, in this order: for resources; for deadline if RE > D, or if the deadline is hard and too few nodes can
// keep it; for return. With exact estimates no hard deadline is missed.
func NewLibraSLA(terms SLATerms) simulate.Finisher { return &librasla{SLATerms: terms} }

// Arrive implements simulate.Policy.
func (l *librasla) Arrive(c *simulate.Cluster, j *simulate.Job) {
	switch {
	case !l.receive(c, j):
	case !l.isFastEnough(c, j):
		c.Reject(j, simulate.Deadline)
	default:
		l.place(c, j)
	}
}

// place starts a job on the nodes of the highest return, or rejects it.
func (l *librasla) place(c *simulate.Cluster, j *simulate.Job) {
	due := l.value.Due
	l.now = c.Now()
	l.need = j.Spec.Requirements
	l.share = j.Spec.Details.Estimate / due
	l.fresh = claim{terms: l.agreement(j), ahead: due, reach: due}
	processors := l.search(c, j.Width, l, tolerance{relative: true})
	switch {
	case processors != nil:
		l.start(c, j, processors)
		for n := range c.Touched() {
			if last := len(n.Tasks) - 1; last >= 0 && n.Tasks[last].Job == j {
				l.fresh.writeTo(&n.Tasks[last])
			}
		}
	case l.search(c, j.Width, meeting{l}, tolerance{}) == nil:
		c.Reject(j, simulate.Deadline)
	default:
		c.Reject(j, simulate.Return)
	}
}

// isFastEnough reports whether enough nodes would meet the deadline of a job if
// they had nothing else to do.
func (l *librasla) isFastEnough(c *simulate.Cluster, j *simulate.Job) bool {
	share := j.Spec.Details.Estimate / l.value.Due
	return countMachines(c, func(m *simulate.Machine) bool {
		return share/m.Speed <= 1+policy.Slack && suits(m, &j.Spec.Requirements)
	}) >= j.Width
}

// meeting finds the nodes that have room for the job at hand and meet its deadline if that
// is hard.
type meeting struct{ *librasla }

// key implements keyer.
func (l meeting) key(n *simulate.Node) float64 {
	sum := l.share / n.Speed
	if l.fresh.hard && len(n.Tasks) > 0 {
		sum += l.hard(n, l.now)
	}
	if sum <= 1+policy.Slack && hasRoom(n, l.need) {
		return 0
	}
	return impossible
}

// key implements keyer. The return of a node with capacity for all is known
// without its tasks.
func (l *librasla) key(n *simulate.Node) float64 {
	l.fresh.share = l.share / n.Speed
	if l.fresh.share > 1+policy.Slack || !hasRoom(n, l.need) {
		return impossible
	}
	if len(n.Tasks) == 0 {
		return -l.fresh.worth
	}
	b := l.account(n)
	if b != nil && b.quiet && !b.short && b.load(n, l.now)+l.fresh.share <= 1+policy.Slack {
		return -b.worth - l.fresh.worth // every job earns its budget, before and after
	}
	value, ok := l.qualifies(n, l.now)
	if !ok {
		return impossible
	}
	return -value
}

// qualifies returns the return of a node with the new claim, and whether the node
// qualifies.
func (l *librasla) qualifies(n *simulate.Node, now float64) (value float64, ok bool) {
	var s nodeSum
	l.sum(n, &s, now, l.fresh.fine)
	present := s.value()
	if b := l.account(n); b != nil && !l.Now {
		present = b.value
	}
	s.add(&l.fresh)
	if l.fresh.hard && s.hard > 1+policy.Slack {
		return 0, false
	}
	value = s.value()
	return value, value >= present-policy.Slack*s.worth && !math.IsInf(value, -1)
}

// account returns the account of a node, nil if its tasks have changed.
func (l *librasla) account(n *simulate.Node) *nodeAccount {
	if n.Changed() || n.ID >= len(l.accounts) {
		return nil
	}
	return &l.accounts[n.ID]
}

// sum sets s to the sum of the tasks of a node, to which a claim with the given fine may be
// added.
func (l *librasla) sum(n *simulate.Node, s *nodeSum, now, fine float64) {
	if b := l.account(n); b != nil {
		if free := fine == 0 && b.isFree(n); b.quiet || free {
			b.sum(n, s, now, free)
			return
		}
	}
	*s = nodeSum{}
	for i := range n.Tasks {
		c := claimOf(n, i, now)
		s.add(&c)
	}
}

// hard returns the sum of the shares with hard deadlines on a node.
func (l *librasla) hard(n *simulate.Node, now float64) float64 {
	if b := l.account(n); b != nil && b.quiet {
		return b.hardShare(n, now)
	}
	var sum float64
	for i := range n.Tasks {
		if n.Tasks[i].Hard {
			sum += demand(n, i, n.Left(i, now), now)
		}
	}
	return sum
}

// Finish implements simulate.Finisher.
func (l *librasla) Finish(c *simulate.Cluster, j *simulate.Job) { c.Charge(j, j.Worth(c.Now())) }

// SetRates implements simulate.Sharing.
func (l *librasla) SetRates(n *simulate.Node, now float64) {
	for n.ID >= len(l.accounts) {
		l.accounts = append(l.accounts, nodeAccount{})
	}
	b := &l.accounts[n.ID]
	b.write(n, now)
	if b.short {
		best := n.Tasks[b.best].Rate
		for i := range n.Tasks {
			t := &n.Tasks[i]
			if t.Hard {
				t.Rate *= b.cut.hard
			} else {
				t.Rate *= b.cut.soft
			}
		}
		n.Tasks[b.best].Rate = best * b.cut.part(n.Tasks[b.best].Hard, true)
	}
	if b.total < 1 && len(n.Tasks) > 0 {
		n.Tasks[b.best].Rate += 1 - b.total
	}
	n.ReviewSpent()
	b.value = b.worth
	if b.short && !l.Now {
		var s nodeSum
		l.sum(n, &s, now, 0)
		b.value = s.value()
	}
}

// terms are the value of an agreement to a node, per second of runtime and of deadline:
// the units of a return.
type terms struct {
	worth float64 // by the budget
	fine  float64 // per second of delay
	hard  bool
}

// agreement reads the agreement of the job at hand.
func (l *librasla) agreement(j *simulate.Job) terms {
	v := &l.value
	scale := j.Spec.Details.Estimate * v.Due
	return terms{worth: v.Price / scale, fine: v.Decay / scale, hard: v.Hard}
}

func (a terms) writeTo(t *simulate.Task) { t.Note = [2]float64{a.worth, a.fine} }

// claim is the demand of a task on its node.
type claim struct {
	terms
	share float64 // of the node, to meet the deadline
	reach float64 // s to its end with that share
	ahead float64 // s to its deadline, negative if overdue
}

// claimOf returns the claim of task i. A task that has spent its estimate is expected to
// end at any moment.
func claimOf(n *simulate.Node, i int, now float64) claim {
	t, left := &n.Tasks[i], n.Left(i, now)
	c := claim{terms: terms{t.Note[0], t.Note[1], t.Hard}, share: demand(n, i, left, now), ahead: t.Due - now}
	if n.Over(i) || n.Spent(i) {
		c.ahead = min(0, c.ahead)
	} else {
		c.reach = max(left, c.ahead)
	}
	return c
}

// beats reports whether the claim would be the best instead of a claim with the given
// return.
func (c *claim) beats(worth float64) bool { return c.worth > worth*(1+policy.Slack) }

// nodeSum is the sum of the claims on a node. The zero value is an empty node.
type nodeSum struct {
	total float64 // share of all
	hard  float64 // share of those with hard deadlines
	worth float64 // return of all, by the budgets
	best  claim   // the highest return by the budgets, the first among equals
	any   bool    // there is a best

	// Of the soft claims other than the best, which share a shortfall:
	soft  float64 // share
	reach float64 // sum of fine reach
	ahead float64 // sum of fine ahead
}

// add adds a claim and reports whether it is the best so far.
func (s *nodeSum) add(c *claim) bool {
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
func (s *nodeSum) yield(c *claim) {
	if !c.hard {
		s.soft += c.share
		s.reach += c.fine * c.reach
		s.ahead += c.fine * c.ahead
	}
}

// value returns the return of the node. With capacity for all it is the sum of
// the returns by the budgets. On a short node a claim that is cut to a part f of its
// share ends at reach/f, so that its return falls by
//
//	fine (reach/f - ahead)
//
// Yeo and Buyya (2005), (1), (2), (5), (6) and Algorithm 2.
func (s *nodeSum) value() float64 {
	if s.total <= 1+policy.Slack {
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
		if c.best <= policy.Slack {
			return math.Inf(-1)
		}
		lost += b.fine * (b.reach/c.best - b.ahead)
	}
	return s.worth - lost
}

// cut is the part of its share that each kind of task gets on a node.
type cut struct {
	hard, best, soft float64
}

// cutOf returns the parts on a short node. Hard tasks get their shares, unless these
// exceed the node, as they can after too small an estimate. The best task gets its share
// of the rest, and the others divide what remains in proportion. The arguments are the
// shares; hard includes the share of a hard best task.
func cutOf(hard, best float64, bestIsHard bool, soft float64) cut {
	c := cut{hard: 1, best: 1}
	room := 1 - hard
	if room < 0 {
		c.hard = 1 / hard
		room = 0
	}
	if !bestIsHard {
		if best > room {
			c.best = room / best
		}
		room -= best * c.best
	}
	switch {
	case soft == 0:
		c.soft = 1
	case room > policy.Slack:
		c.soft = room / soft
	}
	return c
}

func (c *cut) part(hard, best bool) float64 {
	switch {
	case hard:
		return c.hard
	case best:
		return c.best
	}
	return c.soft
}

// nodeAccount holds sums over the tasks of a node from when its rates were set, which
// remain valid later: a task that runs at its share keeps it. That holds for all tasks
// but the best on a node with capacity for all, and for hard tasks always. Only the soft
// tasks of a short node are summed up one by one.
type nodeAccount struct {
	quiet bool    // the account holds: no estimate is spent, and hard tasks get their shares
	short bool    // the shares exceed the node
	cut   cut     // all 1 on a node that is not short
	best  int     // task with the highest return by the budget, the first among equals
	total float64 // share of all
	hard  float64 // share of the hard tasks other than the best
	soft  float64 // share of the soft tasks other than the best
	worth float64 // return of all, by the budgets
	value float64 // return of all, when the rates were set
	fine  float64 // sum of the fines of the soft tasks other than the best
	due   float64 // sum of fine times deadline of the same tasks
}

// write sets the rates of the tasks of a node to their shares, sums them up and computes
// each task's part.
func (b *nodeAccount) write(n *simulate.Node, now float64) {
	*b = nodeAccount{quiet: true, cut: cut{1, 1, 1}}
	if len(n.Tasks) == 0 {
		return
	}
	b.share(n, now)
	b.sumOthers(n.Tasks)
	if b.total > 1 {
		b.short = true
		t := &n.Tasks[b.best]
		hard := b.hard
		if t.Hard {
			hard += t.Rate
		}
		b.cut = cutOf(hard, t.Rate, t.Hard, b.soft)
		b.quiet = b.quiet && b.cut.hard == 1
	}
}

// share sets the rates to the shares and finds the best task. Sums are in local
// variables, which stay in registers.
func (b *nodeAccount) share(n *simulate.Node, now float64) {
	tasks := n.Tasks
	best, bar := 0, tasks[0].Note[0]*(1+policy.Slack)
	var total, worth float64
	for i := range tasks {
		t := &tasks[i]
		left := t.Left(0)
		early := left > near*t.Estimate // the estimate is not spent
		b.quiet = b.quiet && (early || !n.Spent(i))
		if early && left >= t.Due-now && !n.Over(i) {
			t.Rate = 1 // demand returns the same; most tasks of a short node are late
		} else {
			t.Rate = demand(n, i, left, now)
		}
		total += t.Rate
		worth += t.Note[0]
		if t.Note[0] > bar {
			best, bar = i, t.Note[0]*(1+policy.Slack)
		}
	}
	b.best = best
	b.total = total
	b.worth = worth
}

// sumOthers sums up the tasks other than the best.
func (b *nodeAccount) sumOthers(tasks []simulate.Task) {
	var hard, soft, fine, due float64
	best := b.best
	for i := range tasks {
		switch t := &tasks[i]; {
		case i == best:
		case t.Hard:
			hard += t.Rate
		default:
			soft += t.Rate
			fine += t.Note[1]
			due += t.Note[1] * t.Due
		}
	}
	b.hard = hard
	b.soft = soft
	b.fine = fine
	b.due = due
}

// load returns the share of all on a node that is not short.
func (b *nodeAccount) load(n *simulate.Node, now float64) float64 {
	if len(n.Tasks) == 0 {
		return 0
	}
	return b.hard + b.soft + demand(n, b.best, n.Left(b.best, now), now)
}

func (b *nodeAccount) hardShare(n *simulate.Node, now float64) float64 {
	if n.Tasks[b.best].Hard {
		return b.hard + demand(n, b.best, n.Left(b.best, now), now)
	}
	return b.hard
}

// isFree reports whether a node is short and none of its tasks has a penalty: its return
// is then by the budgets, unless nothing is left for the soft tasks.
func (b *nodeAccount) isFree(n *simulate.Node) bool {
	return b.total > 1+2*policy.Slack && b.cut.hard == 1 && b.fine == 0 && n.Tasks[b.best].Note[1] == 0
}

// sum sets s to the sum of the tasks of a node. On a free node the old sums of the soft
// tasks are exact enough.
func (b *nodeAccount) sum(n *simulate.Node, s *nodeSum, now float64, free bool) {
	if len(n.Tasks) == 0 {
		*s = nodeSum{}
		return
	}
	*s = nodeSum{
		any: true, best: claimOf(n, b.best, now),
		worth: b.worth, hard: b.hard, soft: b.soft, ahead: b.due - b.fine*now,
	}
	s.reach = s.ahead
	if b.short && !free {
		b.sumSoft(n, s, now)
	}
	s.total = s.hard + s.soft + s.best.share
	if s.best.hard {
		s.hard += s.best.share
	}
}

// sumSoft sums up the soft tasks other than the best, which run below their shares.
func (b *nodeAccount) sumSoft(n *simulate.Node, s *nodeSum, now float64) {
	elapsed := n.Elapsed(now)
	var soft, reach float64
	for i := range n.Tasks {
		t := &n.Tasks[i]
		if t.Hard || i == b.best {
			continue
		}
		// By the estimate; a task that will be late needs 1.
		left := t.Left(elapsed)
		most := max(left, t.Due-now)
		soft += left / most
		reach += t.Note[1] * most
	}
	s.soft, s.reach = soft, reach
}

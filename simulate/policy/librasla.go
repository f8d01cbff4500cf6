package policy

import (
	"math"

	"revopt/simulate"
)

// librasla is proportional share by return. See NewLibraSLA.
type librasla struct {
	SLATerms
	roster
	accounts []nodeAccount // by node
	returns  []float64     // by node, when its rates were set; nil unless Last

	site   *simulate.Cluster
	now    float64
	rating bool // rates are being set: nodes are surveyed when a job arrives

	// Of the job that is looked at:
	need  simulate.Requirements
	share float64 // on a node of speed 1
	fresh claim
}

// SLATerms are the choices that LibraSLA leaves open. The zero value is the
// default.
type SLATerms struct {
	// Last takes the return of a node without a new job as of the last change of
	// its list of jobs, in place of now. Algorithm 1 computes the return with the
	// job, and does not say when the one that it must reach was computed.
	Last bool
}

// slaOptions are the terms as options of a policy.
func slaOptions() []Option { return []Option{{Name: "return", Values: []string{"now", "last"}}} }

// NewLibraSLA returns LibraSLA: proportional share in which soft deadlines may
// give way, at a penalty, and spare capacity goes to the job with the highest
// return,
//
//	return = utility/runtime/deadline    (5)
//
// A node whose shares sum to more than 1 is short: hard deadlines and the best
// job, of the highest return by the budgets, keep their shares, and the other
// soft jobs share the shortfall in proportion to theirs. A best job that is
// soft is cut to what the hard ones leave.
//
// A node qualifies for a job if its return, the sum over its jobs, does not
// fall and, for a hard deadline, if the hard shares fit. The returns with and
// without the job are computed as of now: on a node with capacity for all
// everybody earns the budget, on one that is short the jobs that are cut earn
// the utility of the time at which they would end, minus infinity with a share
// of zero. The Width nodes of the highest return with the job are taken.
//
// A job is rejected if the cluster has not Width nodes that could ever hold it
// (resources), if its deadline is shorter than its runtime, missing, or hard
// and met by fewer than Width nodes (deadline), or if fewer than Width qualify
// (return). It pays its utility once, with its last task.
//
// Yeo and Buyya (2005), Algorithms 1 and 2; line 11 of the latter is inverted
// in print, and the prose is followed. With exact estimates no hard deadline
// is missed.
func NewLibraSLA(terms SLATerms) simulate.Finisher { return &librasla{SLATerms: terms} }

// Arrive implements simulate.Policy.
func (l *librasla) Arrive(c *simulate.Cluster, j *simulate.Job) {
	l.open(c)
	l.relative = true
	l.site, l.now = c, c.Now()
	switch {
	case l.isTooLarge(j):
		c.Reject(j, simulate.Resources)
	case !isBound(j) || !l.isFastEnough(j):
		c.Reject(j, simulate.Deadline)
	default:
		l.place(c, j)
	}
}

// place starts a job on the nodes of the highest return, or rejects it.
func (l *librasla) place(c *simulate.Cluster, j *simulate.Job) {
	due := j.Value.Due
	l.need, l.share = j.Spec.Requirements, j.Spec.Details.Estimate/due
	l.fresh = claim{terms: termsOf(j), ahead: due, reach: due}
	nodes, ok := l.search(c, j.Width, l)
	if !ok {
		why := simulate.Return
		if !l.canMeet(c, j) {
			why = simulate.Deadline
		}
		c.Reject(j, why)
		return
	}
	l.take(nodes)
	c.StartOn(j, nodes)
	for _, i := range nodes {
		tasks := c.Node(i).Tasks
		termsOf(j).note(&tasks[len(tasks)-1])
	}
}

// isFastEnough reports whether enough nodes would meet the deadline of a job if
// they had nothing else to do.
func (l *librasla) isFastEnough(j *simulate.Job) bool {
	missing := j.Width
	for i := range l.kinds {
		k := &l.kinds[i]
		if j.Spec.Details.Estimate/j.Value.Due/k.Speed <= 1+slack && suits(&k.Machine, &j.Spec.Requirements) {
			missing -= k.count
		}
	}
	return missing <= 0
}

// canMeet reports whether enough nodes could take a job that finds none that
// qualifies and, where its deadline is hard, meet it.
func (l *librasla) canMeet(c *simulate.Cluster, j *simulate.Job) bool {
	missing := j.Width
	for i := 0; i < c.Processors() && missing > 0; i++ {
		n := c.Node(i)
		sum := l.share / n.Speed
		if j.Value.Hard && len(n.Tasks) > 0 {
			sum += l.hard(n, l.now)
		}
		if sum <= 1+slack && (!limited(&n.Machine) || hasRoom(n, l.need)) {
			missing--
		}
	}
	return missing <= 0
}

// demands implements seeker. With the job the return of a node grows by that of
// the job at most.
func (l *librasla) demands(k *machineKind) demands {
	inf := math.Inf(1)
	d := demands{share: l.share / k.Speed, room: inf, most: inf, dear: inf, offset: -l.fresh.worth, empty: inf}
	if d.share <= 1+slack && suits(&k.Machine, &l.need) {
		d.empty = -l.fresh.worth
	}
	return d
}

// scan implements seeker.
func (l *librasla) scan(k *machineKind, entries []listing) {
	fresh := &l.fresh
	fresh.share = k.share
	if fresh.share > 1+slack {
		return
	}
	least := k.offset - l.bar
	for i := range entries {
		e := &entries[i]
		if e.rank < least {
			continue
		}
		if e.until <= l.now {
			*e = l.bound(k, int(e.node))
		}
		if e.rank >= least && !e.isLoss(fresh) {
			l.look(k, int(e.node), nil)
		}
	}
}

// look implements seeker. The return of a node is computed only where bounds on it
// do not say.
func (l *librasla) look(k *machineKind, node int, changed *simulate.Node) {
	n, fresh := l.site.Node(node), &l.fresh
	fresh.share = k.share
	if n.Changed() != (changed != nil) || fresh.share > 1+slack || limited(&n.Machine) && !hasRoom(n, l.need) {
		return
	}
	if b := l.account(n); b != nil && !l.Last {
		switch {
		case b.short && !(fresh.fine == 0 && b.isFree(n)):
			switch p, most := b.foresee(n, fresh, l.now); p {
			case gain:
				l.suggest(-most, node)
				return
			case loss:
				return
			}
		case b.quiet && !b.short && b.load(n, l.now)+fresh.share <= 1+slack:
			l.propose(-b.worth-fresh.worth, node) // everybody earns the budget, before and after
			return
		}
	}
	if value, ok := l.qualifies(n, l.now); ok {
		l.propose(-value, node)
	}
}

// judge implements judge.
func (l *librasla) judge(node int) float64 {
	l.fresh.share = l.kind(node).share
	if value, ok := l.qualifies(l.site.Node(node), l.now); ok {
		return -value
	}
	return math.Inf(1)
}

// bound implements seeker. The rank is what the return of a node is at most,
// or would be if the best gave way.
func (l *librasla) bound(_ *machineKind, node int) listing {
	b := &l.accounts[node]
	e := listing{node: int32(node), rank: b.worth * (1 + slack), until: math.MaxFloat64, spread: 1}
	switch n := l.site.Node(node); {
	case n.Changed():
		e.low = math.Inf(1)
	case !b.short || b.isFree(n) || l.Last: // with a job that pays no penalty either, a survey would be in vain
	case l.rating:
		e.until = l.now
	default:
		b.list(n, &e, l.now)
	}
	return e
}

// qualifies returns the return of a node with the new claim, and whether it may
// take it.
func (l *librasla) qualifies(n *simulate.Node, now float64) (value float64, ok bool) {
	var s nodeSum
	l.sum(n, &s, now)
	present := s.value()
	if l.Last && !n.Changed() {
		present = l.returns[n.ID]
	}
	s.add(&l.fresh)
	if l.fresh.hard && s.hard > 1+slack {
		return 0, false
	}
	value = s.value()
	return value, value >= present-slack*s.worth && !math.IsInf(value, -1)
}

// account returns what was noted of a node, nil where its tasks have changed.
func (l *librasla) account(n *simulate.Node) *nodeAccount {
	if n.Changed() || n.ID >= len(l.accounts) {
		return nil
	}
	return &l.accounts[n.ID]
}

// sum sets s to what the tasks of a node add up to.
func (l *librasla) sum(n *simulate.Node, s *nodeSum, now float64) {
	if b := l.account(n); b != nil {
		if free := l.fresh.fine == 0 && b.isFree(n); b.quiet || free {
			b.sum(n, s, now, free)
			return
		}
	}
	*s = nodeSum{}
	for i := range n.Tasks {
		c := claimOf(&n.Tasks[i], n.Left(i, now), now)
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
		if t := &n.Tasks[i]; t.Hard {
			sum += demand(t, n.Left(i, now), now)
		}
	}
	return sum
}

// Schedule implements simulate.Policy: everything is decided on arrival.
func (l *librasla) Schedule(*simulate.Cluster) {}

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
		for i := range n.Tasks {
			t := &n.Tasks[i]
			t.Rate *= b.cut.of(t.Hard, i == b.best)
		}
	}
	if b.total < 1 && len(n.Tasks) > 0 {
		n.Tasks[b.best].Rate += 1 - b.total
	}
	if b.blunder {
		review(n, now)
	}
	if l.Last {
		for n.ID >= len(l.returns) {
			l.returns = append(l.returns, 0)
		}
		var s nodeSum
		for i := range n.Tasks {
			c := claimOf(&n.Tasks[i], n.Tasks[i].Left, now)
			s.add(&c)
		}
		l.returns[n.ID] = s.value()
	}
	l.now, l.rating = now, true
	l.file(n, l)
	l.rating = false
}

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

// nodeSum is what the claims on a node add up to. The zero value is an empty
// node.
type nodeSum struct {
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
// the returns by the budgets. On a node that is short a claim that is cut to a
// part f of its share ends at reach/f, so that its return falls by
//
//	fine (reach/f - ahead)
//
// Yeo and Buyya (2005), (1), (2), (5), (6) and Algorithm 2.
func (s *nodeSum) value() float64 {
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

// cut is the part of its share that each kind of task gets on a node.
type cut struct {
	hard, best, soft float64
}

// cutOf returns who gets how much on a node that is short: the hard ones all,
// unless they alone exceed the node, as they can after an estimate proved too
// small; the best all that they leave; the others the rest in proportion. The
// arguments are the shares; that of the best, if hard, is among the hard.
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
	case room > slack:
		c.soft = room / soft
	}
	return c
}

// of returns the part that a task gets.
func (c *cut) of(hard, best bool) float64 {
	switch {
	case hard:
		return c.hard
	case best:
		return c.best
	}
	return c.soft
}

// nodeAccount is what LibraSLA notes of a node when its rates are set, so that its
// claims at a later time need not be summed up anew. A task that runs at its
// share keeps it: that is true of all but the best on a node with capacity for
// all, and of the hard ones always. Only the soft tasks of a node that is short
// are looked at one by one, and that only where its forecast does not say enough.
type nodeAccount struct {
	quiet bool    // the account holds: no estimate is spent, and the hard ones get their shares
	short bool    // the shares exceed the node
	cut   cut     // all 1 on a node that is not short
	best  int     // task with the highest return by the budget, of equals the first
	total float64 // share of all
	hard  float64 // share of the hard ones other than the best
	soft  float64 // share of the soft ones other than the best
	worth float64 // return of all, by the budgets
	fine  float64 // sum of the fines of the soft ones other than the best
	due   float64 // sum of fine times deadline of the same

	blunder bool // an estimate is too small

	forecast // of a node that is short
}

// write sets the rates of the tasks of a node to their shares, sums them up
// and says who gets how much of his.
func (b *nodeAccount) write(n *simulate.Node, now float64) {
	*b = nodeAccount{quiet: true, cut: cut{1, 1, 1}}
	if len(n.Tasks) == 0 {
		return
	}
	b.share(n.Tasks, now)
	b.rest(n.Tasks)
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

// share sets the rates to the shares and finds the best. Sums are kept in
// variables of their own, which take no trip to memory for every task.
func (b *nodeAccount) share(tasks []simulate.Task, now float64) {
	best, bar := 0, tasks[0].Note[0]*(1+slack)
	var total, worth float64
	for i := range tasks {
		t := &tasks[i]
		if t.Estimate < t.Work {
			b.blunder = true
			b.quiet = b.quiet && !t.Spent(t.Left, now)
		}
		t.Rate = demand(t, t.Left, now)
		total += t.Rate
		worth += t.Note[0]
		if t.Note[0] > bar {
			best, bar = i, t.Note[0]*(1+slack)
		}
	}
	b.best, b.total, b.worth = best, total, worth
}

// rest sums up what the tasks other than the best ask for.
func (b *nodeAccount) rest(tasks []simulate.Task) {
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
	b.hard, b.soft, b.fine, b.due = hard, soft, fine, due
}

// isStuck reports whether there are soft tasks and nothing is left for them: the
// return of the node is minus infinity, and stays that until the best gives way.
func (b *nodeAccount) isStuck() bool { return b.soft > 0 && b.cut.soft == 0 }

// load returns the share of all on a node that is not short.
func (b *nodeAccount) load(n *simulate.Node, now float64) float64 {
	if len(n.Tasks) == 0 {
		return 0
	}
	return b.hard + b.soft + demand(&n.Tasks[b.best], n.Left(b.best, now), now)
}

// hardShare returns the share of the hard ones.
func (b *nodeAccount) hardShare(n *simulate.Node, now float64) float64 {
	if t := &n.Tasks[b.best]; t.Hard {
		return b.hard + demand(t, n.Left(b.best, now), now)
	}
	return b.hard
}

// isFree reports whether a node is short and nobody on it pays for delay: its return
// is by the budgets, however small the soft shares are, unless it is stuck.
func (b *nodeAccount) isFree(n *simulate.Node) bool {
	return b.total > 1+2*slack && b.cut.hard == 1 && b.fine == 0 && n.Tasks[b.best].Note[1] == 0
}

// sum sets s to what the tasks of a node add up to. On a node that is free the soft
// ones are taken for what they were.
func (b *nodeAccount) sum(n *simulate.Node, s *nodeSum, now float64, free bool) {
	if len(n.Tasks) == 0 {
		*s = nodeSum{}
		return
	}
	*s = nodeSum{
		any: true, best: claimOf(&n.Tasks[b.best], n.Left(b.best, now), now),
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

// sumSoft sums up the soft ones other than the best, which get less than their
// shares.
func (b *nodeAccount) sumSoft(n *simulate.Node, s *nodeSum, now float64) {
	elapsed := n.Elapsed(now)
	var soft, reach float64
	for i := range n.Tasks {
		t := &n.Tasks[i]
		if t.Hard || i == b.best {
			continue
		}
		// Both are of the estimate; a task that cannot make it needs 1.
		left := t.Left - t.Rate*elapsed + (t.Estimate - t.Work)
		most := max(left, t.Due-now)
		soft += left / most
		reach += t.Note[1] * most
	}
	s.soft, s.reach = soft, reach
}

// forecast is what is known of the return of a node that is short until its
// rates are set anew. The hard tasks and the best run at their shares and keep
// them. A soft one with the share s and the rate r < s at one time, and its
// deadline a seconds later, has after t seconds the share
//
//	(a s - r t)/(a - t) = s + t (s - r)/(a - t)
//
// until that is 1, where it stays. With F the sum of (s - r)/a and A the least
// a, the soft shares have therefore risen by no less than t F, and by no more
// than t F A/(A - t). Their sum of fine reach falls at a constant rate. A task that
// has spent its estimate keeps its share, and has no reach.
type forecast struct {
	since float64 // the time of what follows
	until float64 // it holds before that time; 0 where nothing is known
	soft  float64 // share of the soft ones other than the best
	rise  float64 // F
	near  float64 // A
	reach float64 // sum of fine reach of the same
	fall  float64 // of that, per second
	ahead float64 // sum of fine ahead of the same
	fade  float64 // of that, per second
	room  float64 // what the hard ones and the best leave
	best  claim
	slow  float64 // by how much its reach falls, per second
	ebb   float64 // likewise, its time ahead
}

// The bounds are off by a margin for rounding, relative to the terms of a
// return. A time is off by some 1e-16 of it, which is in a share over the time
// to the deadline, and in a return over the room: no bounds are given where
// that time is less than nearest, relative to the clock, or the room is narrow.
const (
	caution = 1e-6
	nearest = 1e-7
	narrow  = 1e-2
)

// survey sets the forecast of a node that is short, as of now. Estimates that are
// spent while it holds have their rates set anew.
func (b *nodeAccount) survey(n *simulate.Node, now float64) {
	first := &n.Tasks[b.best]
	left := n.Left(b.best, now)
	best := claimOf(first, left, now)
	// The best may end before its deadline.
	limit, nearer := (left-nearest*first.Work)/first.Rate, math.Inf(1)
	slow, ebb := 1.0, 1.0
	switch ahead := first.Due - now; {
	case best.reach > 0 && best.share < 1:
		nearer = ahead
	case best.reach > 0: // overdue
		slow = first.Rate
	case ahead > 0: // spent
		limit, slow, ebb = min(limit, ahead), 0, 0
	default:
		slow = 0
	}
	var soft, rise, reach, fall, sum, fade float64
	elapsed, skip := n.Elapsed(now), b.best
	for i := range n.Tasks {
		t := &n.Tasks[i]
		work := t.Left - t.Rate*elapsed
		left, ahead, fine := work+(t.Estimate-t.Work), t.Due-now, t.Note[1]
		spent := false
		if t.Estimate < t.Work {
			if spent = t.Spent(work, now); !spent {
				limit = min(limit, (left-nearest*t.Work)/t.Rate)
			}
		}
		switch {
		case t.Hard || i == skip:
			continue
		case spent:
			soft += demand(t, work, now)
			if ahead > 0 {
				limit = min(limit, ahead)
				continue
			}
		case left >= ahead:
			soft++
			reach += fine * left
			fall += fine * t.Rate
		default:
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
		sum += fine * ahead
		fade += fine
	}
	b.forecast = forecast{
		since: now, soft: soft, rise: rise, near: nearer, reach: reach, fall: fall, ahead: sum, fade: fade,
		room: 1 - b.hard - best.share, best: best, slow: slow, ebb: ebb,
	}
	if b.cut.hard == 1 && b.cut.best > 0 && soft > 0 {
		b.until = now + min(limit, nearer-nearest*now)
	}
}

// at returns the sums over the soft ones t seconds after the forecast, the share
// being the least possible.
func (o *forecast) at(t float64) (soft, reach, ahead float64) {
	return o.soft + t*o.rise, o.reach - t*o.fall, o.ahead - t*o.fade
}

// yield returns what the best adds to the sums if it gives way.
func (o *forecast) yield(t float64) (reach, ahead float64) {
	return o.best.fine * (o.best.reach - t*o.slow), o.best.fine * (o.best.ahead - t*o.ebb)
}

// list lists a node that is short by its forecast. The most that the return can be is
// convex in time, so that it is largest at either end.
func (b *nodeAccount) list(n *simulate.Node, e *listing, now float64) {
	if now >= b.until {
		b.survey(n, now)
	}
	stuck, o := b.isStuck(), &b.forecast
	if now >= b.until || b.room < narrow && !stuck || o.soft+o.best.share < narrow {
		return
	}
	e.rank, e.until, e.best = math.Inf(-1), b.until, o.best.worth*(1+slack)
	for _, t := range [2]float64{now - o.since, b.until - o.since} {
		soft, reach, ahead := o.at(t)
		if !stuck {
			lost := soft * reach / o.room
			e.blur = max(e.blur, 4*caution*(b.worth+math.Abs(ahead)+lost))
			e.rank = max(e.rank, b.worth+ahead-lost+e.blur)
		}
		if !o.best.hard {
			late, early := o.yield(t)
			lost := (soft + o.best.share) * (reach + late) / max(o.room+o.best.share, narrow)
			e.rank = max(e.rank, b.worth+ahead+early-lost+caution*(b.worth+math.Abs(ahead+early)+lost))
		}
	}
	e.rank = min(e.rank, b.worth*(1+slack))
	if stuck {
		e.low = math.Inf(1)
	} else {
		_, reach, _ := o.at(b.until - o.since)
		soft, _, _ := o.at(now - o.since)
		e.low, e.spread, e.fall = max(reach, 0)/o.room, soft/o.room, 1/o.room
	}
	if o.best.hard {
		e.best = -e.best
	}
}

// isLoss reports whether the return of a node that is listed as short falls with
// a claim. With p the sum of fine reach, q the soft shares and r 1, all over the
// room, it falls with a soft claim of the share s that is not the best if
//
//	worth < s p + fine due (q + s r - 1)
//
// and with one that takes room, hard or best instead of a hard one, if
//
//	worth < s p q/(1 - s r)
//
// A soft best that gives way is another matter. In the listing, p is low, q is
// spread, r is fall; best is the return that a claim must beat, with a minus where
// it is hard.
func (e *listing) isLoss(c *claim) bool {
	beats := c.worth > math.Abs(e.best)
	var cost float64
	switch {
	case beats && e.best >= 0:
		return false
	case beats || c.hard:
		if cost = 1 - c.share*e.fall; cost > 0 {
			cost = c.share * e.low * e.spread / cost
		} else {
			cost = 0
		}
	default:
		cost = c.share*e.low + c.fine*c.reach*(e.spread+c.share*e.fall-1)
	}
	return c.worth+e.blur < cost*(1-caution)
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
func (b *nodeAccount) foresee(n *simulate.Node, fresh *claim, now float64) (p prospect, most float64) {
	stuck := b.isStuck()
	if stuck && !fresh.beats(n.Tasks[b.best].Note[0]) {
		return loss, 0
	}
	if now >= b.until {
		b.survey(n, now)
	}
	if now >= b.until || b.room < narrow && !stuck {
		return unclear, 0
	}
	return b.compare(fresh, now, stuck)
}

// compare is foresee where the forecast holds. On a node that is short and has
// room the return is linear in the soft shares,
//
//	worth + sum of fine ahead - soft (sum of fine reach)/room
//
// and so is what the claim adds: its bounds are where these shares have theirs.
func (b *nodeAccount) compare(fresh *claim, now float64, stuck bool) (p prospect, most float64) {
	o := &b.forecast
	t := now - o.since
	soft, reach, ahead := o.at(t)
	room := o.room
	spread := t * o.rise * t / (o.near - t) // of soft, from here up
	before := reach / room
	present := b.worth + ahead - soft*before
	if stuck {
		before, present = 0, math.Inf(-1)
	}
	switch best := &o.best; {
	case fresh.beats(best.worth):
		if !best.hard {
			late, early := o.yield(t)
			soft, reach, ahead, room = soft+best.share, reach+late, ahead+early, room+best.share
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

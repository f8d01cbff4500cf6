package policy

import "revopt/simulate"

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

// book is what LibraSLA notes of a node when its rates are set, so that its
// standing at a later time need not be summed up anew. A task that runs at its
// share keeps it: that is true of all but the best on a node with capacity for
// all, and of the hard ones always. Only the soft tasks of a node that is short
// are looked at one by one, and that only where its outlook does not say enough.
type book struct {
	quiet bool    // the book holds: no estimate is spent, and the hard ones get their shares
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

	outlook // of a node that is short
}

// write sets the rates of the tasks of a node to their shares, sums them up
// and says who gets how much of his.
func (b *book) write(n *simulate.Node, now float64) {
	*b = book{quiet: true, cut: cut{1, 1, 1}}
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
func (b *book) share(tasks []simulate.Task, now float64) {
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
func (b *book) rest(tasks []simulate.Task) {
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
func (b *book) isStuck() bool { return b.soft > 0 && b.cut.soft == 0 }

// load returns the share of all on a node that is not short.
func (b *book) load(n *simulate.Node, now float64) float64 {
	if len(n.Tasks) == 0 {
		return 0
	}
	return b.hard + b.soft + demand(&n.Tasks[b.best], n.Left(b.best, now), now)
}

// hardShare returns the share of the hard ones.
func (b *book) hardShare(n *simulate.Node, now float64) float64 {
	if t := &n.Tasks[b.best]; t.Hard {
		return b.hard + demand(t, n.Left(b.best, now), now)
	}
	return b.hard
}

// sum sets s to what the tasks of a node add up to.
func (b *book) sum(n *simulate.Node, s *standing, now float64) {
	if len(n.Tasks) == 0 {
		*s = standing{}
		return
	}
	*s = standing{
		any: true, best: claimOf(&n.Tasks[b.best], n.Left(b.best, now), now),
		worth: b.worth, hard: b.hard, soft: b.soft, ahead: b.due - b.fine*now,
	}
	s.reach = s.ahead
	if b.short {
		b.sumSoft(n, s, now)
	}
	s.total = s.hard + s.soft + s.best.share
	if s.best.hard {
		s.hard += s.best.share
	}
}

// sumSoft sums up the soft ones other than the best, which get less than their
// shares.
func (b *book) sumSoft(n *simulate.Node, s *standing, now float64) {
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

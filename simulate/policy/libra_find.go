package policy

import "revopt/simulate"

// find returns the nodes for a job, and whether enough can take it.
func (l *libra) find(c *simulate.Cluster, j *simulate.Job) (nodes []int, ok bool) {
	l.site, l.share = c, j.Spec.Details.Estimate/j.Value.Due
	for len(l.courses) < c.Processors() {
		l.courses = append(l.courses, unknown())
	}
	l.reset()
	now, dispensable := c.Now(), c.Processors()-j.Width
	for _, n := range c.Nodes() {
		if limited(n) && !hasRoom(n, &j.Spec.Requirements) || !l.look(n, now) {
			if dispensable--; dispensable < 0 {
				return nil, false
			}
		}
	}
	return l.choose(j.Width, slack, l)
}

// look puts a node on the list if it can take the job, and reports whether that
// is so. Its shares are summed up only where bounds on them do not say.
func (l *libra) look(n *simulate.Node, now float64) bool {
	share, c := l.share/n.Speed, &l.courses[n.ID]
	if t := now - c.since; t <= c.limit && !n.Changed() {
		most := 1 - c.most(t) - share
		switch {
		case most >= -slack && l.LeastLoaded:
			l.suggest(c.least(t)+share-1, n.ID)
			return true
		case most >= -slack:
			l.suggest(most, n.ID)
			return true
		case 1-c.least(t)-share < -slack:
			return false
		}
	}
	load := c.load
	if !c.steady || n.Changed() {
		load = l.load(n, now)
	}
	capacity := 1 - load - share
	if capacity < -slack {
		return false
	}
	l.propose(l.key(capacity), n.ID)
	return true
}

// judge implements judge.
func (l *libra) judge(node int) float64 {
	n := l.site.Nodes()[node]
	return l.key(1 - l.load(n, l.site.Now()) - l.share/n.Speed)
}

// key returns the key of a node that the job would leave with the given
// capacity.
func (l *libra) key(capacity float64) float64 {
	if l.LeastLoaded {
		return -capacity
	}
	return capacity
}

// load returns the sum of the shares on a node.
func (l *libra) load(n *simulate.Node, now float64) float64 {
	switch c := &l.courses[n.ID]; {
	case n.Changed():
		return loadOf(n, now)
	case c.steady:
		return c.load
	default:
		return c.sum(n, now)
	}
}

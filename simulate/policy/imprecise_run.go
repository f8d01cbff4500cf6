package policy

import (
	"slices"

	"revopt/simulate"
)

// Done implements simulate.Piecemeal: a length of a part has ended.
func (s *imprecise) Done(_ *simulate.Cluster, t *simulate.Task) {
	p := s.parts[int(t.Note[0])]
	p.node = nowhere
	if p.mandatory > 0 {
		p.mandatory = 0
	} else {
		p.optional = 0
	}
	if p.mandatory == 0 && p.optional == 0 {
		if p.of.open--; p.of.open == 0 {
			s.ended = append(s.ended, p.of)
		}
	}
}

// Timer implements simulate.Timed: the deadline of a job has come.
func (s *imprecise) Timer(c *simulate.Cluster, j *simulate.Job) {
	h := s.byJob[j.ID]
	if h.open == 0 {
		return // its last part was done just now, and Schedule returns it
	}
	for i := range h.parts {
		s.withdraw(c, &h.parts[i])
	}
	s.giveBack(c, h)
}

// Leave implements simulate.Leaver: a job gives up none of whose parts has run.
func (s *imprecise) Leave(_ *simulate.Cluster, j *simulate.Job) {
	h := s.byJob[j.ID]
	s.forget(h)
	s.ended = slices.DeleteFunc(s.ended, func(other *held) bool { return other == h })
}

// forget takes a job off the lists and returns what it pays as it is.
func (s *imprecise) forget(h *held) (pays float64) {
	s.urgent = remove(s.urgent, h, sooner)
	if s.scheme == MandatoryHBF {
		s.lavish = remove(s.lavish, h, richer)
	}
	delete(s.byJob, h.job.ID)
	for i := range h.parts {
		p := &h.parts[i]
		pays += p.pays()
		s.parts[p.number] = nil
		s.free = append(s.free, p.number)
	}
	return pays
}

// giveBack returns a job to its user, who pays.
func (s *imprecise) giveBack(c *simulate.Cluster, h *held) {
	c.Charge(h.job, s.forget(h))
	if h.job.Waiting() {
		c.Expire(h.job) // nothing of it was mandatory, and its turn never came
		return
	}
	c.Return(h.job)
}

// pays returns what a part pays as it is: nothing before its mandatory length
// is done, but for rounding.
func (p *part) pays() float64 {
	if p.mandatory > slack*p.of.terms.Mandatory {
		return 0
	}
	return p.of.terms.Worth(p.of.terms.Optional - p.optional)
}

// lengths returns what is left now of both lengths, once sync has been called.
func (p *part) lengths() (mandatory, optional float64) {
	switch {
	case p.node == nowhere:
		return p.mandatory, p.optional
	case p.mandatory > 0:
		return p.now, p.optional
	}
	return 0, p.now
}

// left returns what is left of the length that the part runs or would run.
func (p *part) left() *float64 {
	if p.mandatory > 0 {
		return &p.mandatory
	}
	return &p.optional
}

// withdraw stops a part that runs.
func (s *imprecise) withdraw(c *simulate.Cluster, p *part) {
	if p.node == nowhere {
		return
	}
	tasks := c.Nodes()[p.node].Tasks
	for i := range tasks {
		if int(tasks[i].Note[0]) == p.number {
			*p.left() = c.Withdraw(p.node, i) * s.speed
			p.node = nowhere
			return
		}
	}
	panic("policy: part of an imprecise job is not where it should run")
}

// place runs a part on a node.
func (s *imprecise) place(c *simulate.Cluster, p *part, node int) {
	note := [2]float64{float64(p.number), 0}
	if p.mandatory == 0 {
		note[1] = 1
	}
	h := p.of
	first := h.job.Waiting()
	c.Place(h.job, node, *p.left()/s.speed, note)
	if first {
		c.Timer(h.job, h.due) // its start has cleared the one set on arrival
	}
	p.node = node
}

// SetRates implements simulate.Sharing: whoever is on a node has an equal share
// of it. That is more than one part only under MandatoryTime, and then they are
// all in their optional lengths.
func (s *imprecise) SetRates(n *simulate.Node, _ float64) {
	for i := range n.Tasks {
		n.Tasks[i].Rate = 1 / float64(len(n.Tasks))
	}
}

// sync notes what is left now of the parts that run.
func (s *imprecise) sync(c *simulate.Cluster) {
	now := c.Now()
	for _, n := range c.Nodes() {
		for i := range n.Tasks {
			p := s.parts[int(n.Tasks[i].Note[0])]
			p.now = max(n.Left(i, now), 0) * s.speed
		}
	}
}

package policy

import "revopt/simulate"

// posts is the working memory of a decision: who is to run, and where there is
// room.
type posts struct {
	mandatory []*part // to run alone on a processor
	optional  []*part // to run on the processors that are left
	reserved  []bool  // by node: a mandatory length runs there
}

// Schedule implements simulate.Policy: it returns what has ended and gives the
// processors to those that come first.
func (s *imprecise) Schedule(c *simulate.Cluster) {
	for _, h := range s.ended {
		s.giveBack(c, h)
	}
	s.ended = s.ended[:0]
	if len(s.urgent) == 0 {
		return
	}
	s.speed = c.Nodes()[0].Speed
	s.choose(c.Processors())
	s.stop(c)
	s.placeMandatory(c)
	s.placeOptional(c)
}

// choose says who is to run: mandatory lengths by deadline, then the optional
// ones. Under MandatoryTime all of these run where any processor is left.
func (s *imprecise) choose(processors int) {
	q := &s.posts
	q.mandatory, q.optional = q.mandatory[:0], q.optional[:0]
	for _, h := range s.urgent {
		for i := range h.parts {
			p := &h.parts[i]
			if p.wanted = p.mandatory > 0 && len(q.mandatory) < processors; p.wanted {
				q.mandatory = append(q.mandatory, p)
			}
		}
	}
	room := processors - len(q.mandatory)
	if room == 0 {
		return
	}
	for _, h := range s.optionals() {
		for i := range h.parts {
			p := &h.parts[i]
			if p.mandatory > 0 || p.optional == 0 {
				continue
			}
			if s.scheme != MandatoryTime && len(q.optional) == room {
				return
			}
			p.wanted = true
			q.optional = append(q.optional, p)
		}
	}
}

// stop withdraws whoever is no longer to run.
func (s *imprecise) stop(c *simulate.Cluster) {
	for _, n := range c.Nodes() {
		for i := len(n.Tasks) - 1; i >= 0; i-- {
			if p := s.parts[int(n.Tasks[i].Note[0])]; !p.wanted {
				s.withdraw(c, p)
			}
		}
	}
}

// placeMandatory gives every mandatory length that is to run a processor of its
// own: the one it has, an empty one, or one that optional lengths must leave.
func (s *imprecise) placeMandatory(c *simulate.Cluster) {
	q, nodes := &s.posts, c.Nodes()
	q.reserved = append(q.reserved[:0], make([]bool, len(nodes))...)
	for _, p := range q.mandatory {
		if p.node != nowhere {
			q.reserved[p.node] = true
		}
	}
	fewest := 0 // tasks on the processors that are tried first
	next := 0
	for _, p := range q.mandatory {
		for p.node == nowhere {
			if next == len(nodes) {
				next = 0
				fewest++
			}
			if n := nodes[next]; !q.reserved[next] && len(n.Tasks) <= fewest {
				for len(n.Tasks) > 0 {
					s.withdraw(c, s.parts[int(n.Tasks[0].Note[0])])
				}
				s.place(c, p, next)
				q.reserved[next] = true
			}
			next++
		}
	}
}

// placeOptional spreads the optional lengths that are to run over the processors
// that are left, so that none has two more than another. Who already runs stays
// where it is as far as that allows.
func (s *imprecise) placeOptional(c *simulate.Cluster) {
	q, nodes := &s.posts, c.Nodes()
	room := len(nodes) - len(q.mandatory)
	if room == 0 || len(q.optional) == 0 {
		return
	}
	each, over := len(q.optional)/room, len(q.optional)%room
	for i, n := range nodes {
		if q.reserved[i] {
			continue
		}
		most := each
		if len(n.Tasks) > each && over > 0 {
			most++
			over--
		}
		for len(n.Tasks) > most {
			s.withdraw(c, s.parts[int(n.Tasks[len(n.Tasks)-1].Note[0])])
		}
	}
	next := 0
	for _, p := range q.optional {
		for p.node == nowhere {
			if next == len(nodes) {
				next, each = 0, each+1
			}
			if !q.reserved[next] && len(nodes[next].Tasks) < each {
				s.place(c, p, next)
			} else {
				next++
			}
		}
	}
}

package policy

import "math"

// shortlist chooses the nodes with the least keys, as placement does, and
// computes as few keys as it can: where a floor says that the key of a node
// comes too late, it is not looked at.
type shortlist struct {
	placement             // of the nodes whose keys are known
	nominees  []candidate // all nodes, in their order
	pending   int         // of these, how many are known by a floor only
	spare     int         // of these, how many are not needed
	next      float64     // the least floor of them
}

// judge computes keys.
type judge interface {
	// judge returns the key of a node, +Inf if the node cannot take the job.
	judge(node int) float64
}

// reset forgets the nodes of the job before.
func (s *shortlist) reset() { s.nominees, s.pending = s.nominees[:0], 0 }

// propose adds a node by its key. It must be higher than those before.
func (s *shortlist) propose(key float64, node int) {
	s.nominees = append(s.nominees, candidate{key: key, node: int32(node)})
}

// suggest adds a node by a floor, than which its key is not less. It must be
// higher than those before.
func (s *shortlist) suggest(floor float64, node int) {
	s.nominees = append(s.nominees, candidate{key: floor, node: int32(node), open: true})
	s.pending++
}

// choose returns the given number of nodes, those that placement.take would
// return if the keys of all were known, and whether that many can take the job.
func (s *shortlist) choose(width int, tolerance float64, j judge) (nodes []int, ok bool) {
	if len(s.nominees) < width {
		return nil, false
	}
	if s.pending == 0 {
		s.candidates, s.nominees = s.nominees, s.candidates
		return s.take(width, tolerance), true
	}
	s.spare = len(s.nominees) - width
	s.hear(j, s.nth(width))
	for {
		if s.spare < 0 {
			return nil, false
		}
		if len(s.candidates) < width {
			s.hear(j, s.nth(min(width+width/2+2, len(s.nominees))))
			continue
		}
		nodes = s.take(width, tolerance)
		if s.next > s.to+tolerance {
			return nodes, true
		}
		s.hear(j, s.to+tolerance)
	}
}

// largest returns the largest key or floor in absolute value.
func (s *shortlist) largest() float64 {
	var most float64
	for i := range s.nominees {
		most = max(most, math.Abs(s.nominees[i].key))
	}
	return most
}

// nth returns the key or floor that comes in the given place.
func (s *shortlist) nth(place int) float64 {
	s.keys = s.keys[:0]
	for i := range s.nominees {
		s.keys = append(s.keys, s.nominees[i].key)
	}
	return nth(s.keys, place-1)
}

// hear asks for the keys of the nodes whose floor is no more than the given one,
// and makes a candidate of each whose key is known and that can take the job. It
// stops when too few are left.
func (s *shortlist) hear(j judge, floor float64) {
	s.candidates = s.candidates[:0]
	s.next = math.Inf(1)
	for i := range s.nominees {
		c := &s.nominees[i]
		if c.open {
			if c.key > floor {
				s.next = min(s.next, c.key)
				continue
			}
			c.key, c.open = j.judge(int(c.node)), false
			s.pending--
			if c.key == math.Inf(1) {
				if s.spare--; s.spare < 0 {
					return
				}
			}
		}
		if c.key < math.Inf(1) {
			s.candidates = append(s.candidates, *c)
		}
	}
}

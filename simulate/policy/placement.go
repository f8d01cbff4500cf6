package policy

import (
	"math"

	"revopt/simulate"
)

// placement chooses nodes for a job. It keeps its arrays between jobs.
type placement struct {
	candidates []candidate // in order of nodes
	keys       []float64
	nodes      []int

	cut      float64 // the last key taken
	from, to float64 // the least and the largest key that is equal to it
}

// candidate is a node that can take the job.
type candidate struct {
	key  float64 // the least is taken first
	node int32
	open bool // the key is but a floor, see shortlist
}

// reset forgets the candidates of the job before.
func (p *placement) reset() { p.candidates = p.candidates[:0] }

// propose adds a candidate, whose node is higher than those before.
func (p *placement) propose(key float64, node int) {
	p.candidates = append(p.candidates, candidate{key: key, node: int32(node)})
}

// take returns the given number of candidates with the least keys, in order of
// nodes. Keys are sums of floating-point numbers: those that follow each other
// by no more than the tolerance are equal, and of equals the lower node is
// taken first. No sort is needed, only the last key that is taken.
func (p *placement) take(width int, tolerance float64) []int {
	p.keys = p.keys[:0]
	for _, c := range p.candidates {
		p.keys = append(p.keys, c.key)
	}
	p.cut = nth(p.keys, width-1)
	p.from, p.to = p.equals(p.cut, tolerance)
	places := width
	for _, c := range p.candidates {
		if c.key < p.from {
			places--
		}
	}
	p.nodes = p.nodes[:0]
	for _, c := range p.candidates {
		switch {
		case c.key < p.from:
			p.nodes = append(p.nodes, int(c.node))
		case c.key <= p.to && places > 0:
			places--
			p.nodes = append(p.nodes, int(c.node))
		}
	}
	return p.nodes
}

// equals returns the least and the largest key that is equal to the given one,
// directly or through others.
func (p *placement) equals(key, tolerance float64) (from, to float64) {
	from, to = key, key
	for again := true; again; {
		again = false
		for _, k := range p.keys {
			if k < from && from-k <= tolerance {
				from, again = k, true
			} else if k > to && k-to <= tolerance {
				to, again = k, true
			}
		}
	}
	return from, to
}

// nth returns the number that would be in place i if x were sorted. It
// reorders x.
func nth(x []float64, i int) float64 {
	for len(x) > 1 {
		pivot := x[len(x)/2]
		// Before low everything is less than the pivot, from high on greater.
		low, high := 0, len(x)
		for k := 0; k < high; {
			switch v := x[k]; {
			case v < pivot:
				x[k], x[low] = x[low], v
				low++
				k++
			case v > pivot:
				high--
				x[k], x[high] = x[high], v
			default:
				k++
			}
		}
		switch {
		case i < low:
			x = x[:low]
		case i >= high:
			x, i = x[high:], i-high
		default:
			return pivot
		}
	}
	return x[0]
}

// suits reports whether a job could run on a node that is otherwise empty.
func suits(n *simulate.Node, need *simulate.Requirements) bool {
	return within(need.Memory, n.Memory) && within(need.Disk, n.Disk)
}

// within reports whether an amount is no more than a limit, 0 being none.
func within(amount, limit float64) bool { return limit == 0 || amount <= limit*(1+slack) }

// hasRoom reports whether a node has the memory and the disk that a job needs
// beside those of its tasks.
func hasRoom(n *simulate.Node, need *simulate.Requirements) bool {
	return !limited(n) || roomBeside(n, *need)
}

// limited reports whether a node has limits at all.
func limited(n *simulate.Node) bool { return n.Memory != 0 || n.Disk != 0 }

func roomBeside(n *simulate.Node, sum simulate.Requirements) bool {
	for i := range n.Tasks {
		used := &n.Tasks[i].Job.Spec.Requirements
		sum.Memory += used.Memory
		sum.Disk += used.Disk
	}
	return suits(n, &sum)
}

// isTooLarge reports whether the cluster has fewer nodes with the memory and
// the disk that a job needs than the job is wide.
func isTooLarge(c *simulate.Cluster, j *simulate.Job) bool {
	if j.Width > c.Processors() {
		return true
	}
	missing := j.Width
	for _, n := range c.Nodes() {
		if suits(n, &j.Spec.Requirements) {
			if missing--; missing == 0 {
				return false
			}
		}
	}
	return true
}

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

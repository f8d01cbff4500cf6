package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// shortlist chooses the nodes with the least keys and computes few keys: a node is
// skipped if a lower bound, its floor, shows that its key is too high. It reuses its
// arrays for the next job.
type shortlist struct {
	nominees   []candidate // all nodes
	total      int         // processors of the nominees
	pending    int         // nominees with only a floor
	fit, unfit int         // processors of nominees that can, or cannot, take the job
	next       float64     // the least floor of pending nominees
	candidates []candidate // nominees with a key that can take the job
	keys       []candidate
	equals     []int // processors whose keys are equal to the last one taken
	processors []int
	bar        float64 // higher keys are not chosen

	// Keys are sums of floating-point numbers: neighbors that differ by at most the
	// tolerance are equal.
	tolerance float64
	relative  bool    // the tolerance is slack times the largest key taken
	cut       float64 // the last key taken
	from, to  float64 // the least and the largest key that is equal to it
}

// candidate is a node that can take the job.
type candidate struct {
	key   float64 // the least is taken first
	node  int32   // or the complement of a kind, for its idle processors
	count int32   // of processors
	open  bool    // the key is a floor
}

// keyer computes keys.
type keyer interface {
	// keyOf returns the key of a node, +Inf if the node cannot take the job.
	keyOf(node int) float64
	// members appends the first n processors of a node, or all, in order.
	members(to []int, node, n int) []int
}

// reset forgets the nodes of the job before.
func (s *shortlist) reset() {
	s.nominees, s.total, s.pending, s.bar = s.nominees[:0], 0, 0, math.Inf(1)
}

// nominate adds a node by its key or, if open, by a floor: its key is at least that.
func (s *shortlist) nominate(key float64, node, count int, open bool) {
	s.nominees = append(s.nominees, candidate{key, int32(node), int32(count), open})
	s.total += count
	if open {
		s.pending++
	}
}

// choose finds the last key of the given number of processors, and reports whether that
// many can take the job. Nodes may be added afterwards, and the choice repeated.
func (s *shortlist) choose(width int, j keyer) bool {
	if s.total < width {
		return false
	}
	floor := math.Inf(1)
	if s.pending > 0 {
		floor = s.nth(s.nominees, width)
	}
	s.evaluate(j, floor)
	for {
		if s.unfit > s.total-width {
			return false
		}
		if s.fit < width {
			s.evaluate(j, s.nth(s.nominees, min(width+width/2+2, s.total)))
			continue
		}
		s.last(width)
		if s.bar = s.to + s.tolerance; s.next > s.bar {
			return true
		}
		s.evaluate(j, s.bar)
	}
}

// nth returns the key or floor in the given place of the order of all processors.
func (s *shortlist) nth(list []candidate, place int) float64 {
	s.keys = append(s.keys[:0], list...)
	return nth(s.keys, place-1)
}

// evaluate computes the keys of the nodes whose floor is at most the given one, and
// collects the candidates.
func (s *shortlist) evaluate(j keyer, floor float64) {
	s.candidates = s.candidates[:0]
	s.next, s.fit, s.unfit = math.Inf(1), 0, 0
	for i := range s.nominees {
		c := &s.nominees[i]
		if c.open {
			if c.key > floor {
				s.next = min(s.next, c.key)
				continue
			}
			c.key, c.open = j.keyOf(int(c.node)), false
			s.pending--
		}
		if c.key < math.Inf(1) {
			s.candidates = append(s.candidates, *c)
			s.fit += int(c.count)
		} else {
			s.unfit += int(c.count)
		}
	}
}

// last finds the last key of the given number of processors without sorting them.
func (s *shortlist) last(width int) {
	s.cut = s.nth(s.candidates, width)
	if s.relative {
		first := math.Inf(1)
		for i := range s.candidates {
			first = min(first, s.candidates[i].key)
		}
		s.tolerance = slack * max(math.Abs(first), math.Abs(s.cut))
	}
	s.from, s.to = s.chain(s.cut)
}

// pick returns the given number of processors, in order, and whether that many can take
// the job. Among equal keys the lower processor is taken.
func (s *shortlist) pick(width int, j keyer) (processors []int, ok bool) {
	if !s.choose(width, j) {
		return nil, false
	}
	s.processors, s.equals = s.processors[:0], s.equals[:0]
	for _, c := range s.candidates {
		switch {
		case c.key < s.from:
			s.processors = j.members(s.processors, int(c.node), width)
		case c.key <= s.to:
			s.equals = j.members(s.equals, int(c.node), width)
		}
	}
	if places := width - len(s.processors); places < len(s.equals) {
		slices.Sort(s.equals)
		s.equals = s.equals[:places]
	}
	s.processors = append(s.processors, s.equals...)
	slices.Sort(s.processors)
	return s.processors, true
}

// chain returns the least and the largest key that equals the given key, directly or
// through other keys.
func (s *shortlist) chain(key float64) (from, to float64) {
	from, to = key, key
	for again := true; again; {
		again = false
		for i := range s.keys {
			k := s.keys[i].key
			if k < from && from-k <= s.tolerance {
				from, again = k, true
			} else if k > to && k-to <= s.tolerance {
				to, again = k, true
			}
		}
	}
	return from, to
}

// nth returns the key that would be in place i if x were sorted and every candidate were
// there as often as it counts. It reorders x.
func nth(x []candidate, i int) float64 {
	for len(x) > 1 {
		pivot := x[len(x)/2].key
		// Before low everything is less than the pivot, from high on greater.
		low, high := 0, len(x)
		less, equal := 0, 0 // counts
		for k := 0; k < high; {
			switch v := x[k]; {
			case v.key < pivot:
				x[k], x[low] = x[low], v
				less += int(v.count)
				low++
				k++
			case v.key > pivot:
				high--
				x[k], x[high] = x[high], v
			default:
				equal += int(v.count)
				k++
			}
		}
		switch {
		case i < less:
			x = x[:low]
		case i >= less+equal:
			x, i = x[high:], i-less-equal
		default:
			return pivot
		}
	}
	return x[0].key
}

// suits reports whether a job could run on a machine that is otherwise empty.
func suits(m *simulate.Machine, need *simulate.Requirements) bool {
	return within(need.Memory, m.Memory) && within(need.Disk, m.Disk)
}

// within reports whether an amount is at most a limit; 0 is no limit.
func within(amount, limit float64) bool { return limit == 0 || amount <= limit*(1+slack) }

// limited reports whether a machine has limits at all.
func limited(m *simulate.Machine) bool { return m.Memory != 0 || m.Disk != 0 }

// hasRoom reports whether a node has the memory and the disk that a job needs
// beside those of its tasks.
func hasRoom(n *simulate.Node, sum simulate.Requirements) bool {
	for i := range n.Tasks {
		used := &n.Tasks[i].Job.Spec.Requirements
		sum.Memory += used.Memory
		sum.Disk += used.Disk
	}
	return suits(&n.Machine, &sum)
}

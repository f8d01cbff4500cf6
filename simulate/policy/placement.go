package policy

import "revopt/simulate"

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

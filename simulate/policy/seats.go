package policy

import "math"

// seats counts the tasks on the nodes of a site in a tree. The tree finds the node with
// the fewest tasks, or the next node with fewer or more than a limit, in logarithmic
// time, and skips nodes that are taken as a whole. Its size follows the nodes in use.
type seats struct {
	total     int     // nodes
	size      int     // leaves of the tree, a power of two
	low, high []int32 // by subtree, the root at 1: least and largest number of tasks on nodes that are not taken
	with      []int   // by number of tasks, from 1 on: the number of nodes
}

// taken marks a node without room.
const taken = math.MaxInt32

// set sets the number of tasks of a node.
func (s *seats) set(node int, tasks int32) {
	for node >= s.size {
		s.grow()
	}
	i := node + s.size
	s.count(s.low[i], -1)
	s.count(tasks, 1)
	low, high := tasks, tasks
	if tasks == taken {
		high = -1
	}
	for s.low[i], s.high[i] = low, high; i > 1; {
		i /= 2
		low, high = min(s.low[2*i], s.low[2*i+1]), max(s.high[2*i], s.high[2*i+1])
		if s.low[i] == low && s.high[i] == high {
			break
		}
		s.low[i], s.high[i] = low, high
	}
}

// count adds to the number of nodes with the given number of tasks.
func (s *seats) count(tasks int32, by int) {
	if tasks == 0 || tasks == taken {
		return
	}
	for int(tasks) >= len(s.with) {
		s.with = append(s.with, 0)
	}
	s.with[tasks] += by
}

// tasks returns the number of tasks of a node.
func (s *seats) tasks(node int) int32 { return s.low[node+s.size] }

// grow doubles the tree. Further nodes are empty.
func (s *seats) grow() {
	old, size := *s, max(2*s.size, 16)
	s.size, s.low, s.high = size, make([]int32, 2*size), make([]int32, 2*size)
	for i := range size {
		switch {
		case i < old.size:
			s.low[size+i], s.high[size+i] = old.low[old.size+i], old.high[old.size+i]
		case i >= s.total:
			s.low[size+i], s.high[size+i] = taken, -1
		}
	}
	for i := size - 1; i > 0; i-- {
		s.low[i], s.high[i] = min(s.low[2*i], s.low[2*i+1]), max(s.high[2*i], s.high[2*i+1])
	}
}

// fewest returns the first of the nodes with the fewest tasks.
func (s *seats) fewest() int {
	if s.size == 0 || s.low[1] > 0 && s.size < s.total {
		s.grow()
	}
	return s.below(0, s.low[1]+1)
}

// below returns the first node from the given one on with fewer tasks than the
// limit, -1 if there is none.
func (s *seats) below(node int, limit int32) int {
	for i := node + s.size; limit > 0; {
		if node >= s.size {
			if s.size >= s.total {
				break
			}
			s.grow()
			i = node + s.size
		}
		for i > 1 && i%2 == 0 {
			i /= 2
		}
		if s.low[i] < limit {
			for i < s.size {
				if i *= 2; s.low[i] >= limit {
					i++
				}
			}
			return i - s.size
		}
		if i++; i&(i-1) == 0 {
			node = s.size // none among those of the tree
		}
	}
	return -1
}

// above returns the last node before the given one with more tasks than the
// limit, -1 if there is none.
func (s *seats) above(node int, limit int32) int {
	for i := node + s.size; node > 0; {
		i--
		for i > 1 && i%2 == 1 {
			i /= 2
		}
		if s.high[i] > limit {
			for i < s.size {
				if i = 2*i + 1; s.high[i] <= limit {
					i--
				}
			}
			return i - s.size
		}
		if i&(i-1) == 0 {
			break
		}
	}
	return -1
}

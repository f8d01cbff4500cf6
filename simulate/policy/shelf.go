package policy

import (
	"slices"

	"revopt/simulate"
)

// shelves are the waiting jobs of one rank by width, the narrowest first. Of one
// width only the first can be the next to start, so backfilling looks at the
// heads alone however long the queue is.
type shelves []shelf

type shelf struct {
	width int
	queue simulate.Queue
}

// of returns the queue of jobs of the given width.
func (s *shelves) of(width int) *simulate.Queue {
	i, found := slices.BinarySearchFunc(*s, width, func(e shelf, width int) int { return e.width - width })
	if !found {
		*s = slices.Insert(*s, i, shelf{width: width})
	}
	return &(*s)[i].queue
}

// first returns the job that came first of those that need at most so many
// processors, nil if there is none.
func (s shelves) first(free int) *simulate.Job {
	var first *simulate.Job
	for i := range s {
		if s[i].width > free {
			break
		}
		if j := s[i].queue.Head(); j != nil && (first == nil || j.ID < first.ID) {
			first = j
		}
	}
	return first
}

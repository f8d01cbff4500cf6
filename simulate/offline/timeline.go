package offline

import "math"

// timeline is how many nodes are free over time: a list of changes in the order of time. Job j has two of them, 2j and
// 2j+1, its start and its end, which are linked in while it runs, so that nothing is allocated. At one time ends come
// before starts.
//
// The list is cut into cells of one length, each of which knows its first change, so that a time is found at once.
type timeline struct {
	changes    []change
	cells      []int32 // the first change, none where there is none
	from, cell float64 // s, where the first cell starts, and the length of all
}

// change is a time from which on so many nodes are free.
type change struct {
	time           float64
	free           int32
	next, previous int32
	cell           int32
}

// none is no change.
const none = -1

// newTimeline returns the timeline of an empty machine for n jobs, whose changes lie mostly between two times.
func newTimeline(n int, m Machine, from, to float64) *timeline {
	nodes := int32(m.Nodes)
	t := &timeline{changes: make([]change, 2*n+len(m.Up)+2), cells: make([]int32, n+1), from: from}
	t.cell = math.Max(to-from, 1) / float64(len(t.cells))
	for i := range t.cells {
		t.cells[i] = none
	}
	first, last := t.first(), t.first()+1
	t.changes[first] = change{math.Inf(-1), nodes, last, none, none}
	t.changes[last] = change{math.Inf(1), nodes, none, first, none}
	after := first
	for i, l := range m.Up {
		at := last + 1 + int32(i)
		t.link(at, after, l.From, int32(l.Units))
		after = at
	}
	return t
}

// first returns the change before all others.
func (t *timeline) first() int32 { return int32(2 * (len(t.cells) - 1)) }

// link puts a change after another.
func (t *timeline) link(at, after int32, time float64, free int32) {
	cell := int32(min(max((time-t.from)/t.cell, 0), float64(len(t.cells)-1)))
	next := t.changes[after].next
	t.changes[at] = change{time, free, next, after, cell}
	t.changes[after].next, t.changes[next].previous = at, at
	if t.cells[cell] == none || t.cells[cell] == next {
		t.cells[cell] = at
	}
}

// unlink takes a change out.
func (t *timeline) unlink(at int32) {
	c := &t.changes[at]
	t.changes[c.previous].next, t.changes[c.next].previous = c.next, c.previous
	if t.cells[c.cell] != at {
		return
	}
	t.cells[c.cell] = none
	if t.changes[c.next].cell == c.cell {
		t.cells[c.cell] = c.next
	}
}

// at returns the last change up to a time.
func (t *timeline) at(time float64) int32 {
	cell := int(min(max((time-t.from)/t.cell, 0), float64(len(t.cells)-1)))
	for cell > 0 && t.cells[cell] == none {
		cell--
	}
	k := t.cells[cell]
	if k == none {
		k = t.first()
	}
	for t.changes[k].time > time {
		k = t.changes[k].previous
	}
	return t.after(k, time)
}

// after returns the last change up to a time, at a change before or later.
func (t *timeline) after(k int32, time float64) int32 {
	for {
		next := t.changes[k].next
		if t.changes[next].time > time {
			return k
		}
		k = next
	}
}

// fit returns the first time from a given one on at which a width is free for a length, no later than last, and the
// change at which it was found; none where there is no such time.
func (t *timeline) fit(width int32, length, from, last float64) (float64, int32) {
	changes := t.changes
	k, start := t.at(from), from
	for {
		for changes[k].free < width {
			k = changes[k].next
			start = changes[k].time
		}
		if start > last || math.IsInf(start, 1) {
			return 0, none
		}
		end := start + length
		m := changes[k].next
		for changes[m].time < end && changes[m].free >= width {
			m = changes[m].next
		}
		if changes[m].time >= end {
			return start, k
		}
		k = m
	}
}

// add lets a job run. The change k is not after its start.
func (t *timeline) add(job, k int32, start, end float64, width int32) {
	k = t.after(k, start)
	t.link(2*job, k, start, t.changes[k].free-width)
	k = 2 * job
	for {
		next := t.changes[k].next
		c := &t.changes[next]
		if c.time >= end {
			break
		}
		c.free -= width
		k = next
	}
	t.link(2*job+1, k, end, t.changes[k].free+width)
}

// remove ends that.
func (t *timeline) remove(job, width int32) {
	for k := t.changes[2*job].next; k != 2*job+1; k = t.changes[k].next {
		t.changes[k].free += width
	}
	t.unlink(2 * job)
	t.unlink(2*job + 1)
}

// each calls f for the jobs that start or end in [from, to), as long as it returns true.
func (t *timeline) each(from, to float64, f func(job int32, starts bool) bool) {
	for k := t.at(from); t.changes[k].time < to; k = t.changes[k].next {
		if k < t.first() && t.changes[k].time >= from && !f(k/2, k%2 == 0) {
			return
		}
	}
}

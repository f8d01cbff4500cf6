package policy

import (
	"slices"

	"revopt/simulate"
)

// order says who is first in a queue.
type order uint8

const (
	byArrival  order = iota
	byEstimate       // shortest job first
	byDeadline       // earliest deadline first; jobs without one come last
)

// waiting is a queue of jobs in an order, and of equals by arrival. It is one
// array of what a scan needs to know, so that a scan touches no job.
type waiting struct {
	entries []entry
}

// entry is a job that waits.
type entry struct {
	key      float64 // who is first
	estimate float64 // s
	width    int
	job      *simulate.Job
}

// less orders entries.
func (e entry) less(f entry) bool {
	if e.key != f.key {
		return e.key < f.key
	}
	return e.job.ID < f.job.ID
}

// find returns the place of an entry, or where it would be.
func (w *waiting) find(e entry) int {
	low, high := 0, len(w.entries)
	for low < high {
		middle := int(uint(low+high) / 2)
		if w.entries[middle].less(e) {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

// insert queues an entry and returns its place.
func (w *waiting) insert(e entry) int {
	i := len(w.entries)
	if i > 0 && !w.entries[i-1].less(e) {
		i = w.find(e)
	}
	w.entries = slices.Insert(w.entries, i, e)
	return i
}

// remove takes n entries out, from place i on.
func (w *waiting) remove(i, n int) { w.entries = slices.Delete(w.entries, i, i+n) }

// truncate leaves the first n entries.
func (w *waiting) truncate(n int) {
	clear(w.entries[n:])
	w.entries = w.entries[:n]
}

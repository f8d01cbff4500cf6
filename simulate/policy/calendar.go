package policy

import "revopt/internal/heap"

// calendar is a queue of times, the earliest first.
type calendar struct{ heap.Heap[calendarEntry] }

type calendarEntry struct {
	time  float64
	value int
}

// reset empties the calendar.
func (c *calendar) reset() {
	c.List, c.Less = c.List[:0], func(a, b *calendarEntry) bool { return a.time < b.time }
}

// first returns the earliest entry, nil if there is none or it is after a limit.
func (c *calendar) first(limit float64) *calendarEntry {
	if c.Len() == 0 || c.First().time > limit {
		return nil
	}
	return c.First()
}

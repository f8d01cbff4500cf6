package policy

import (
	"cmp"
	"slices"
)

// calendar is a queue of times, the earliest first, for times that spread over a
// known span. It has a bucket for each of many short intervals, and brings a
// bucket in order when its turn comes: a time that never becomes the first costs
// no comparison. Brown (1988), "Calendar queues", Communications of the ACM 31.
type calendar struct {
	origin, scale float64
	buckets       []int32 // 1 + the first of the entries that are linked; 0 is none
	entries       []calendarEntry
	turn          int             // the bucket whose turn it is
	due           []calendarEntry // of the buckets up to that one, the earliest last
}

type calendarEntry struct {
	time  float64
	value int32
	next  int32 // as in buckets
}

// reset empties the calendar for about so many times from an origin on.
func (c *calendar) reset(origin, span float64, size int) {
	buckets := 16
	for buckets < size && buckets < 1<<16 {
		buckets *= 2
	}
	if cap(c.buckets) < buckets {
		c.buckets = make([]int32, buckets)
	}
	c.buckets = c.buckets[:buckets]
	clear(c.buckets)
	c.entries, c.due, c.turn = c.entries[:0], c.due[:0], -1
	c.origin, c.scale = origin, 0
	if span > 0 {
		c.scale = float64(buckets) / span
	}
}

// push adds a time with a value.
func (c *calendar) push(time float64, value int) {
	b := 0
	if at := (time - c.origin) * c.scale; at > 0 { // which is false of NaN
		b = int(min(at, float64(len(c.buckets)-1)))
	}
	if b > c.turn {
		c.entries = append(c.entries, calendarEntry{time, int32(value), c.buckets[b]})
		c.buckets[b] = int32(len(c.entries))
		return
	}
	i := len(c.due)
	c.due = append(c.due, calendarEntry{})
	for ; i > 0 && c.due[i-1].time < time; i-- {
		c.due[i] = c.due[i-1]
	}
	c.due[i] = calendarEntry{time: time, value: int32(value)}
}

// first returns the earliest entry, nil if there is none.
func (c *calendar) first() *calendarEntry {
	for len(c.due) == 0 {
		if c.turn++; c.turn >= len(c.buckets) {
			c.turn = len(c.buckets) - 1
			return nil
		}
		for i := c.buckets[c.turn]; i > 0; i = c.entries[i-1].next {
			c.due = append(c.due, c.entries[i-1])
		}
		if len(c.due) > 1 {
			slices.SortFunc(c.due, func(a, b calendarEntry) int { return cmp.Compare(b.time, a.time) })
		}
	}
	return &c.due[len(c.due)-1]
}

// pop removes the entry that first returns.
func (c *calendar) pop() { c.due = c.due[:len(c.due)-1] }

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

func (c *calendar) bucket(time float64) int {
	if at := (time - c.origin) * c.scale; at < float64(len(c.buckets)) {
		return max(int(at), 0)
	}
	return len(c.buckets) - 1
}

func (c *calendar) push(time float64, value int) {
	b := c.bucket(time)
	if b <= c.turn {
		c.pushDue(calendarEntry{time: time, value: int32(value)})
		return
	}
	c.entries = append(c.entries, calendarEntry{time, int32(value), c.buckets[b]})
	c.buckets[b] = int32(len(c.entries))
}

// add adds to the value of the time that was pushed last if that is the same, and
// else pushes it.
func (c *calendar) add(time float64, value int) {
	if n := len(c.entries) - 1; n >= 0 && c.entries[n].time == time && c.bucket(time) > c.turn {
		c.entries[n].value += int32(value)
		return
	}
	c.push(time, value)
}

// pushDue adds a time to those whose turn has come.
func (c *calendar) pushDue(e calendarEntry) {
	i := len(c.due)
	c.due = append(c.due, e)
	for ; i > 0 && c.due[i-1].time < e.time; i-- {
		c.due[i] = c.due[i-1]
	}
	c.due[i] = e
}

// first returns the earliest entry, nil if there is none or it is after a limit.
// Buckets that begin after the limit are left alone, so that a time up to it can
// still join the others of its bucket.
func (c *calendar) first(limit float64) *calendarEntry {
	if len(c.due) == 0 {
		for last := c.bucket(limit); len(c.due) == 0; {
			if c.turn >= last {
				return nil
			}
			c.turn++
			for i := c.buckets[c.turn]; i > 0; i = c.entries[i-1].next {
				c.due = append(c.due, c.entries[i-1])
			}
		}
		if len(c.due) > 1 {
			slices.SortFunc(c.due, func(a, b calendarEntry) int { return cmp.Compare(b.time, a.time) })
		}
	}
	if e := &c.due[len(c.due)-1]; e.time <= limit {
		return e
	}
	return nil
}

// pop removes the entry that first returns.
func (c *calendar) pop() { c.due = c.due[:len(c.due)-1] }

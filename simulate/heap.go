package simulate

import (
	"math"
	"math/bits"
)

// phase orders what happens at one instant; the decision that follows is not
// an event.
type phase uint8

const (
	completion phase = iota
	arrival
	expiry
	wake
)

// event is something that will happen. Its order is (time, phase, sequence),
// kept as two integers: the bits of a non-negative float64 rise with it.
type event struct {
	time    uint64 // bits of the time
	order   uint64 // phase in the top byte, sequence below
	target  int32  // what it concerns, by phase: see kernel.fire
	version uint32 // of the target when the event was scheduled
}

const phaseShift = 56

func (e *event) phase() phase { return phase(e.order >> phaseShift) }

func (e *event) at() float64 { return math.Float64frombits(e.time) }

// before returns 1 if e comes before f, else 0, without a branch: which of two
// events is the earlier is a coin toss that no processor predicts.
func (e *event) before(f *event) int {
	_, borrow := bits.Sub64(e.order, f.order, 0)
	_, borrow = bits.Sub64(e.time, f.time, borrow)
	return int(borrow)
}

// heap is a 4-ary min-heap of events by value: half as deep as a binary one,
// and the four children of a node lie side by side.
//
// Most events cause one other, so pop leaves a hole at the top for the next
// push to fill: one way down instead of one way down and one up.
type heap struct {
	events   []event
	hole     bool // events[0] is taken
	sequence uint64
}

// push schedules an event.
func (h *heap) push(at float64, p phase, target int32, version uint32) {
	e := event{time: math.Float64bits(at), order: uint64(p)<<phaseShift | h.sequence, target: target, version: version}
	h.sequence++
	if h.hole {
		h.hole = false
		h.down(0, e)
		return
	}
	h.events = append(h.events, e)
	h.up(len(h.events)-1, e)
}

// top returns the first event, nil if there is none. It is valid until the
// next push.
func (h *heap) top() *event {
	if h.hole {
		h.fill()
	}
	if len(h.events) == 0 {
		return nil
	}
	return &h.events[0]
}

// pop removes the first event, which top has returned.
func (h *heap) pop() { h.hole = true }

// fill puts the last event into the hole.
func (h *heap) fill() {
	h.hole = false
	last := len(h.events) - 1
	e := h.events[last]
	h.events = h.events[:last]
	if last > 0 {
		h.down(0, e)
	}
}

// len returns the number of events.
func (h *heap) len() int {
	if h.hole {
		return len(h.events) - 1
	}
	return len(h.events)
}

// purge removes the events for which drop is true.
func (h *heap) purge(drop func(*event) bool) {
	if h.hole {
		h.fill()
	}
	kept := h.events[:0]
	for i := range h.events {
		if !drop(&h.events[i]) {
			kept = append(kept, h.events[i])
		}
	}
	h.events = kept
	for i := (len(kept) - 2) / 4; i >= 0 && len(kept) > 1; i-- {
		h.down(i, kept[i])
	}
}

// up places e at i or above.
func (h *heap) up(i int, e event) {
	events := h.events
	for i > 0 {
		parent := (i - 1) / 4
		if e.before(&events[parent]) == 0 {
			break
		}
		events[i] = events[parent]
		i = parent
	}
	events[i] = e
}

// down places e at i or below.
func (h *heap) down(i int, e event) {
	events := h.events
	for {
		first := 4*i + 1
		if first >= len(events) {
			break
		}
		var least int
		if first+4 <= len(events) {
			s := (*[4]event)(events[first:])
			a := s[1].before(&s[0])
			b := 2 + s[3].before(&s[2])
			least = first + a + (b-a)*s[b&3].before(&s[a&3])
		} else {
			least = first
			for c := first + 1; c < len(events); c++ {
				least += (c - least) * events[c].before(&events[least])
			}
		}
		if events[least].before(&e) == 0 {
			break
		}
		events[i] = events[least]
		i = least
	}
	events[i] = e
}

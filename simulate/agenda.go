package simulate

import (
	"math"
	"math/bits"
)

// Phase orders the events of one instant; the decision that follows is not an event.
type Phase uint8

const (
	completion Phase = iota
	arrival
	expiry
	move // of agents: jobs to other sites
	wake
)

// event is something that will happen. Its order is (time, phase, sequence),
// kept as two integers: the bits of a non-negative float64 rise with it.
type event struct {
	time    uint64 // bits of the time
	order   uint64 // phase in the top byte, sequence below
	target  int32  // job, node or site, by phase: see kernel.fire
	version uint32 // of the target when the event was scheduled
}

const phaseShift = 56

// never is later than any time.
const never = math.MaxUint64

func (e event) phase() Phase { return Phase(e.order >> phaseShift) }

func (e event) at() float64 { return math.Float64frombits(e.time) }

// before returns 1 if e comes before f, else 0. It has no branch, because processors
// cannot predict the order of two events.
func (e *event) before(f *event) int {
	_, borrow := bits.Sub64(e.order, f.order, 0)
	_, borrow = bits.Sub64(e.time, f.time, borrow)
	return int(borrow)
}

// precedes is before for callers that branch on it.
func (e *event) precedes(f *event) bool {
	return e.time < f.time || e.time == f.time && e.order < f.order
}

// agenda holds the events to come. The nearest, a few dozen, are in order, so
// that a short agenda is a sorted list. The others are in a 4-ary min-heap by
// value: half as deep as a binary one, and the four children of a node lie side
// by side. If there are events, there are some in front.
type agenda struct {
	front      [128]event
	head, tail int     // of front
	heap       []event // all after those of front
	sequence   uint64
}

// event returns an event that comes after all made before, at its time and in
// its phase.
func (a *agenda) event(at float64, p Phase, target int32, version uint32) event {
	a.sequence++
	return event{time: math.Float64bits(at), order: uint64(p)<<phaseShift | a.sequence, target: target,
		version: version}
}

func (a *agenda) push(at float64, p Phase, target int32, version uint32) {
	a.add(a.event(at, p, target, version))
}

// add puts an event among the nearest or into the heap.
func (a *agenda) add(e event) {
	if a.tail == len(a.front) {
		a.makeRoom()
	}
	if len(a.heap) > 0 && !e.precedes(&a.heap[0]) {
		a.up(e)
		return
	}
	a.tail++
	list := a.front[a.head:a.tail]
	i := len(list) - 1
	for ; i > 0 && e.precedes(&list[i-1]); i-- {
		list[i] = list[i-1]
	}
	list[i] = e
}

// makeRoom moves the events of front to its beginning. If there are too many, the last
// ones go to the heap.
func (a *agenda) makeRoom() {
	a.tail = copy(a.front[:], a.front[a.head:a.tail])
	a.head = 0
	if a.tail > len(a.front)/2 {
		for _, e := range a.front[len(a.front)/4 : a.tail] {
			a.up(e)
		}
		a.tail = len(a.front) / 4
	}
}

// top returns the first event, nil if there is none. It is valid until the next
// push or pop.
func (a *agenda) top() *event {
	if a.head == a.tail {
		return nil
	}
	return &a.front[a.head&(len(a.front)-1)]
}

// refill brings the nearest events of the heap to the front.
func (a *agenda) refill() {
	a.head, a.tail = 0, 0
	for a.tail < len(a.front)/4 && len(a.heap) > 0 {
		a.front[a.tail] = a.heap[0]
		a.tail++
		last := len(a.heap) - 1
		e := a.heap[last]
		a.heap = a.heap[:last]
		if last > 0 {
			a.down(0, e)
		}
	}
}

// after reports whether all events come after the given time, in bits.
func (a *agenda) after(time uint64) bool {
	return a.head == a.tail || a.front[a.head&(len(a.front)-1)].time > time
}

// pop removes the first event, which top has returned.
func (a *agenda) pop() {
	a.head++
	if a.head == a.tail {
		a.refill()
	}
}

func (a *agenda) len() int { return a.tail - a.head + len(a.heap) }

// purge removes the events for which drop is true.
func (a *agenda) purge(drop func(event) bool) {
	a.tail = a.head + len(without(a.front[a.head:a.tail], drop))
	a.heap = without(a.heap, drop)
	for i := (len(a.heap) - 2) / 4; i >= 0 && len(a.heap) > 1; i-- {
		a.down(i, a.heap[i])
	}
	if a.head == a.tail {
		a.refill()
	}
}

// without removes the events for which drop is true from a list.
func without(list []event, drop func(event) bool) []event {
	kept := list[:0]
	for i := range list {
		if !drop(list[i]) {
			kept = append(kept, list[i])
		}
	}
	return kept
}

// up adds e to the heap.
func (a *agenda) up(e event) {
	a.heap = append(a.heap, e)
	heap, i := a.heap, len(a.heap)-1
	for i > 0 {
		parent := (i - 1) / 4
		if e.before(&heap[parent]) == 0 {
			break
		}
		heap[i] = heap[parent]
		i = parent
	}
	heap[i] = e
}

// down places e at i of the heap or below.
func (a *agenda) down(i int, e event) {
	heap := a.heap
	for {
		first := 4*i + 1
		if first >= len(heap) {
			break
		}
		var least int
		if first+4 <= len(heap) {
			s := (*[4]event)(heap[first:])
			a := s[1].before(&s[0])
			b := 2 + s[3].before(&s[2])
			least = first + a + (b-a)*s[b&3].before(&s[a&3])
		} else {
			least = first
			for c := first + 1; c < len(heap); c++ {
				least += (c - least) * heap[c].before(&heap[least])
			}
		}
		if heap[least].before(&e) == 0 {
			break
		}
		heap[i] = heap[least]
		i = least
	}
	heap[i] = e
}

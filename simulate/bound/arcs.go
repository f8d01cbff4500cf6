package bound

// arc is an edge on which a node may push.
type arc struct {
	cost float64
	to   int32 // cell, item, or layer
	head head
}

type head uint8

const (
	toCell head = iota
	toItem
	toBack
	toSink
)

// arcs is a binary heap whose first arc costs least. Calls of heap.Heap.Less take a tenth of the time of a bound.
type arcs []arc

// order makes a heap of any list.
func (h arcs) order() {
	for i := len(h)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

// pop removes the first arc.
func (h *arcs) pop() (arc, bool) {
	list := *h
	last := len(list) - 1
	if last < 0 {
		return arc{}, false
	}
	first := list[0]
	list[0] = list[last]
	*h = list[:last]
	h.sink(0)
	return first, true
}

// push adds an arc.
func (h *arcs) push(a arc) {
	list := append(*h, a)
	i := len(list) - 1
	for parent := (i - 1) / 2; i > 0 && a.cost < list[parent].cost; parent = (i - 1) / 2 {
		list[i] = list[parent]
		i = parent
	}
	list[i] = a
	*h = list
}

// sink moves an arc down to its place.
func (h arcs) sink(i int) {
	if i >= len(h) {
		return
	}
	a := h[i]
	for child := 2*i + 1; child < len(h); child = 2*i + 1 {
		if child+1 < len(h) && h[child+1].cost < h[child].cost {
			child++
		}
		if !(h[child].cost < a.cost) {
			break
		}
		h[i] = h[child]
		i = child
	}
	h[i] = a
}

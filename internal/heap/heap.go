package heap

// Heap is a binary heap whose first value is the least. Set Less before the first use.
type Heap[T any] struct {
	Less func(a, b *T) bool
	List []T // in the order of a heap; after any other change, call Init
}

// Len returns the number of values.
func (h *Heap[T]) Len() int { return len(h.List) }

// First returns the least value. After a change of it, call Sink.
func (h *Heap[T]) First() *T { return &h.List[0] }

// Init brings the list in order.
func (h *Heap[T]) Init() {
	for i := len(h.List)/2 - 1; i >= 0; i-- {
		h.sink(i)
	}
}

// Push adds a value.
func (h *Heap[T]) Push(x T) {
	h.List = append(h.List, x)
	for i := len(h.List) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.Less(&h.List[i], &h.List[parent]) {
			return
		}
		h.List[i], h.List[parent] = h.List[parent], h.List[i]
		i = parent
	}
}

// Pop removes the least value and returns it.
func (h *Heap[T]) Pop() T {
	first, last := h.List[0], len(h.List)-1
	h.List[0] = h.List[last]
	h.List[last] = *new(T)
	h.List = h.List[:last]
	h.Sink()
	return first
}

// Sink restores the order after the first value has grown.
func (h *Heap[T]) Sink() { h.sink(0) }

// sink moves a value down to its place.
func (h *Heap[T]) sink(i int) {
	list, less := h.List, h.Less
	for {
		child := 2*i + 1
		if child >= len(list) {
			return
		}
		if child+1 < len(list) && less(&list[child+1], &list[child]) {
			child++
		}
		if !less(&list[child], &list[i]) {
			return
		}
		list[i], list[child] = list[child], list[i]
		i = child
	}
}

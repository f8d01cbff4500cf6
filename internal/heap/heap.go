// Package heap is a binary heap of values. Equal values come out in the order
// that container/heap would give.
package heap

// Heap is a binary heap whose first value is the least. Less must be set before
// the first use.
type Heap[T any] struct {
	Less func(a, b *T) bool

	list []T
}

// Len returns the number of values.
func (h *Heap[T]) Len() int { return len(h.list) }

// First returns the least value. After a change of it, call Sink.
func (h *Heap[T]) First() *T { return &h.list[0] }

// Push adds a value.
func (h *Heap[T]) Push(x T) {
	h.list = append(h.list, x)
	for i := len(h.list) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.Less(&h.list[i], &h.list[parent]) {
			return
		}
		h.list[i], h.list[parent] = h.list[parent], h.list[i]
		i = parent
	}
}

// Pop removes the least value and returns it.
func (h *Heap[T]) Pop() T {
	first, last := h.list[0], len(h.list)-1
	h.list[0] = h.list[last]
	h.list[last] = *new(T)
	h.list = h.list[:last]
	h.Sink()
	return first
}

// Sink restores the order after the first value has grown.
func (h *Heap[T]) Sink() {
	for i := 0; ; {
		least := i
		for child := 2*i + 1; child <= 2*i+2 && child < len(h.list); child++ {
			if h.Less(&h.list[child], &h.list[least]) {
				least = child
			}
		}
		if least == i {
			return
		}
		h.list[i], h.list[least] = h.list[least], h.list[i]
		i = least
	}
}

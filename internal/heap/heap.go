// Package heap keeps a slice as a binary heap: the element that comes first is at
// index 0. Unlike container/heap it needs no methods of the slice and makes no
// interface values.
//
// The order is given by less, which takes pointers so that large elements are not
// copied. All functions of one slice must be called with the same less. Elements
// that are equal leave in an order that depends on the history of the slice alone.
package heap

// Init makes a heap of a slice.
func Init[T any](h []T, less func(a, b *T) bool) {
	for i := len(h)/2 - 1; i >= 0; i-- {
		down(h, i, less)
	}
}

// Push adds an element.
func Push[T any](h *[]T, x T, less func(a, b *T) bool) {
	*h = append(*h, x)
	s := *h
	for i := len(s) - 1; i > 0; {
		parent := (i - 1) / 2
		if !less(&s[i], &s[parent]) {
			return
		}
		s[i], s[parent] = s[parent], s[i]
		i = parent
	}
}

// Pop removes the first element and returns it. The heap must not be empty.
func Pop[T any](h *[]T, less func(a, b *T) bool) T {
	s := *h
	first, last := s[0], len(s)-1
	s[0] = s[last]
	clear(s[last:])
	*h = s[:last]
	down(*h, 0, less)
	return first
}

// Fix restores the heap after a change of the first element.
func Fix[T any](h []T, less func(a, b *T) bool) { down(h, 0, less) }

// down moves an element away from the top until it is in its place.
func down[T any](h []T, i int, less func(a, b *T) bool) {
	for {
		child := 2*i + 1
		if child >= len(h) {
			return
		}
		if child+1 < len(h) && less(&h[child+1], &h[child]) {
			child++
		}
		if !less(&h[child], &h[i]) {
			return
		}
		h[i], h[child] = h[child], h[i]
		i = child
	}
}

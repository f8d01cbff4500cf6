package ordered

import "slices"

// List is a sorted list without equal elements. The place of an element is an index,
// which holds until the list changes.
type List[T any] struct {
	Compare func(a, b *T) int
	Items   []T
}

// seek returns the place of the first element that is not before another.
func (l *List[T]) seek(x *T) int {
	low, high := 0, len(l.Items)
	if high > 0 && l.Compare(&l.Items[high-1], x) < 0 { // most lists grow at the end
		return high
	}
	for low < high {
		if middle := int(uint(low+high) / 2); l.Compare(&l.Items[middle], x) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (l *List[T]) Insert(x T) { l.Items = slices.Insert(l.Items, l.seek(&x), x) }

func (l *List[T]) Remove(x T) {
	at := l.seek(&x)
	if at == len(l.Items) || l.Compare(&l.Items[at], &x) != 0 {
		panic("policy: element is not in the list")
	}
	if at > len(l.Items)/2 {
		l.Items = slices.Delete(l.Items, at, at+1)
		return
	}
	copy(l.Items[1:], l.Items[:at]) // the shorter part moves
	l.Items[0] = *new(T)
	l.Items = l.Items[1:]
}

// First returns the first element, nil if there is none.
func (l *List[T]) First() *T {
	if len(l.Items) == 0 {
		return nil
	}
	return &l.Items[0]
}

// Last returns the last element, nil if there is none.
func (l *List[T]) Last() *T {
	if len(l.Items) == 0 {
		return nil
	}
	return &l.Items[len(l.Items)-1]
}

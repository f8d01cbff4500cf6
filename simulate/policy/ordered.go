package policy

import "slices"

// ordered is a sorted list without equal elements. The place of an element is an index,
// which holds until the list changes.
type ordered[T any] struct {
	compare func(a, b *T) int
	list    []T
}

// seek returns the place of the first element that is not before another.
func (l *ordered[T]) seek(x *T) int {
	low, high := 0, len(l.list)
	if high > 0 && l.compare(&l.list[high-1], x) < 0 { // most lists grow at the end
		return high
	}
	for low < high {
		if middle := int(uint(low+high) / 2); l.compare(&l.list[middle], x) < 0 {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return low
}

func (l *ordered[T]) insert(x T) { l.list = slices.Insert(l.list, l.seek(&x), x) }

func (l *ordered[T]) remove(x T) {
	at := l.seek(&x)
	if at == len(l.list) || l.compare(&l.list[at], &x) != 0 {
		panic("policy: element is not in the list")
	}
	if at > len(l.list)/2 {
		l.list = slices.Delete(l.list, at, at+1)
		return
	}
	copy(l.list[1:], l.list[:at]) // the shorter part moves
	l.list[0] = *new(T)
	l.list = l.list[1:]
}

// first returns the first element, nil if there is none.
func (l *ordered[T]) first() *T {
	if len(l.list) == 0 {
		return nil
	}
	return &l.list[0]
}

// last returns the last element, nil if there is none.
func (l *ordered[T]) last() *T {
	if len(l.list) == 0 {
		return nil
	}
	return &l.list[len(l.list)-1]
}

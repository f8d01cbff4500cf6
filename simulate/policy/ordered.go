package policy

import "slices"

// ordered is a sorted list without equal elements. It is stored in blocks, so that
// insertion, removal and steps to a neighbor are cheap at any length.
type ordered[T any] struct {
	compare func(a, b *T) int
	blocks  [][]T // none is empty
	key     T     // of the current search
	spare   []T   // a block that is not in use
}

// blockLength is the length at which a block is split in two.
const blockLength = 64

// spot is a place in an ordered list. It holds until the list changes.
type spot struct{ block, at int }

// find returns the place of an element, or the place at which it would be inserted.
func (l *ordered[T]) find(x T) (s spot, found bool) {
	if len(l.blocks) == 0 {
		return spot{}, false
	}
	l.key = x
	if len(l.blocks) > 1 {
		s.block = max(search(len(l.blocks), func(i int) bool { return l.compare(&l.blocks[i][0], &l.key) > 0 })-1, 0)
	}
	b := l.blocks[s.block]
	s.at = search(len(b), func(i int) bool { return l.compare(&b[i], &l.key) >= 0 })
	return s, s.at < len(b) && l.compare(&b[s.at], &l.key) == 0
}

// search returns the first number below n for which is holds, or n. If it holds for a
// number, it must hold for all larger ones.
func search(n int, is func(int) bool) int {
	low := 0
	for low < n {
		if mid := int(uint(low+n) / 2); is(mid) {
			n = mid
		} else {
			low = mid + 1
		}
	}
	return low
}

// insert puts an element in its place.
func (l *ordered[T]) insert(x T) {
	s, _ := l.find(x)
	if len(l.blocks) == 0 {
		l.blocks = append(l.blocks, l.block())
	}
	b := slices.Insert(l.blocks[s.block], s.at, x)
	if len(b) == blockLength {
		half := append(l.block(), b[blockLength/2:]...)
		l.blocks = slices.Insert(l.blocks, s.block+1, half)
		b = slices.Delete(b, blockLength/2, blockLength)
	}
	l.blocks[s.block] = b
}

// block returns an empty block.
func (l *ordered[T]) block() []T {
	b := l.spare
	if l.spare = nil; b == nil {
		b = make([]T, 0, blockLength)
	}
	return b
}

// remove takes an element out.
func (l *ordered[T]) remove(x T) {
	s, found := l.find(x)
	if !found {
		panic("policy: element is not in the list")
	}
	l.removeAt(s)
}

// removeAt takes the element at a place out.
func (l *ordered[T]) removeAt(s spot) {
	b := slices.Delete(l.blocks[s.block], s.at, s.at+1)
	l.blocks[s.block] = b
	if next := s.block + 1; len(b) == 0 {
		l.blocks, l.spare = slices.Delete(l.blocks, s.block, next), b
	} else if next < len(l.blocks) && len(b)+len(l.blocks[next]) < blockLength/4 {
		l.blocks[s.block], l.spare = append(b, l.blocks[next]...), l.blocks[next][:0]
		l.blocks = slices.Delete(l.blocks, next, next+1)
	}
}

// seek returns the place of the first element that is not before another.
func (l *ordered[T]) seek(x T) spot {
	s, _ := l.find(x)
	if s.block < len(l.blocks) && s.at == len(l.blocks[s.block]) {
		return spot{s.block + 1, 0}
	}
	return s
}

// at returns the element at a place, nil at the end.
func (l *ordered[T]) at(s spot) *T {
	if s.block >= len(l.blocks) {
		return nil
	}
	return &l.blocks[s.block][s.at]
}

// after returns the place behind another.
func (l *ordered[T]) after(s spot) spot {
	if s.at++; s.at == len(l.blocks[s.block]) {
		return spot{s.block + 1, 0}
	}
	return s
}

// before returns the place ahead of another, or false at the beginning.
func (l *ordered[T]) before(s spot) (spot, bool) {
	switch {
	case s.at > 0:
		return spot{s.block, s.at - 1}, true
	case s.block > 0:
		return spot{s.block - 1, len(l.blocks[s.block-1]) - 1}, true
	}
	return s, false
}

// end returns the place behind the last element.
func (l *ordered[T]) end() spot { return spot{len(l.blocks), 0} }

// first returns the first element, nil if there is none.
func (l *ordered[T]) first() *T { return l.at(spot{}) }

// last returns the last element, nil if there is none.
func (l *ordered[T]) last() *T {
	s, ok := l.before(l.end())
	if !ok {
		return nil
	}
	return l.at(s)
}

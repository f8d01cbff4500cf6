package heap

import (
	stdheap "container/heap"
	"math/rand/v2"
	"testing"
)

type pair struct{ key, place int }

type standard []pair

func (s standard) Len() int           { return len(s) }
func (s standard) Less(i, j int) bool { return s[i].key < s[j].key }
func (s standard) Swap(i, j int)      { s[i], s[j] = s[j], s[i] }
func (s *standard) Push(x any)        { *s = append(*s, x.(pair)) }
func (s *standard) Pop() any {
	last := (*s)[len(*s)-1]
	*s = (*s)[:len(*s)-1]
	return last
}

// TestHeap compares the heap with that of the library, ties included.
func TestHeap(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	h := Heap[pair]{Less: func(a, b *pair) bool { return a.key < b.key }}
	var s standard
	for i := range 5000 {
		switch op := r.IntN(6); {
		case op < 2 || len(s) == 0:
			x := pair{r.IntN(20), i}
			h.Push(x)
			stdheap.Push(&s, x)
		case op == 2:
			more := r.IntN(5)
			h.First().key += more
			h.Sink()
			s[0].key += more
			stdheap.Fix(&s, 0)
		case op == 3:
			for k := range s {
				s[k].key = r.IntN(20)
			}
			h.List = append(h.List[:0], s...)
			h.Init()
			stdheap.Init(&s)
		default:
			if got, want := h.Pop(), stdheap.Pop(&s); got != want {
				t.Fatalf("step %d: got %v, want %v", i, got, want)
			}
		}
		if h.Len() != len(s) || len(s) > 0 && *h.First() != s[0] {
			t.Fatalf("step %d: heaps differ", i)
		}
	}
}

package heap

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestHeap compares heaps with sorted slices.
func TestHeap(t *testing.T) {
	less := func(a, b *int) bool { return *a < *b }
	random := rand.New(rand.NewPCG(1, 1))
	for size := range 60 {
		var h, want []int
		for range size {
			h = append(h, random.IntN(size))
		}
		want = append(want, h...)
		Init(h, less)
		for range size / 2 {
			x := random.IntN(size)
			Push(&h, x, less)
			want = append(want, x)
		}
		slices.Sort(want)
		if size > 0 { // replace the first
			h[0] = random.IntN(2 * size)
			want[0] = h[0]
			Fix(h, less)
			slices.Sort(want)
		}
		for i, x := range want {
			if got := Pop(&h, less); got != x {
				t.Fatalf("%d of %d elements popped: got %d, want %d", i, len(want), got, x)
			}
		}
		if len(h) != 0 {
			t.Fatalf("%d elements are left", len(h))
		}
	}
}

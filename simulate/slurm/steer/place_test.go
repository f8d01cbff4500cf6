package steer

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// Priorities fall from slot to slot by more than ages grow between two computations, factors are around 0, and slots
// that are in order already stay.
func TestPlace(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 1))
	const base, span = 1_000_000, 100_000_000
	slots := func(n int, priority func(i int) int64) []slot {
		list := make([]slot, n)
		for i := range list {
			list[i] = slot{priority: priority(i), base: base, low: base - span, high: base + span}
			list[i].low = max(list[i].low, 1)
		}
		return list
	}
	check := func(name string, out []int64, gap int64) {
		t.Helper()
		for i := 1; i < len(out); i++ {
			if out[i-1]-out[i] < gap {
				t.Fatalf("%s: priorities %d and %d of places %d and %d", name, out[i-1], out[i], i, i+1)
			}
		}
	}
	fresh := place(slots(25, func(int) int64 { return base }), 1, 1<<31)
	check("all equal", fresh, leastGap)
	if middle := fresh[12]; middle < base-usualGap || middle > base+usualGap {
		t.Errorf("the middle of jobs with equal priorities is %d, expected about %d: %v", middle, base, fresh)
	}
	for range 200 {
		n := 2 + rnd.IntN(40)
		check("random", place(slots(n, func(int) int64 { return base + rnd.Int64N(20000) - 10000 }), 1, 1<<31), 1)
	}
	// A newcomer between two neighbors moves alone, as long as there is room.
	ordered := make([]int64, 20)
	for i := range ordered {
		ordered[i] = base + int64(10-i)*usualGap
	}
	ordered = slices.Insert(ordered, 7, base)
	out := place(slots(21, func(i int) int64 { return ordered[i] }), 1, 1<<31)
	check("newcomer", out, leastGap)
	for i := range out {
		if (out[i] != ordered[i]) != (i == 7) {
			t.Errorf("place %d: %d becomes %d", i, ordered[i], out[i])
		}
	}
}

package bound

import (
	"slices"
	"testing"

	"revopt/simulate"
)

// TestLevels compares units over time with values worked out by hand: at 15 more units are
// out of order than there are.
func TestLevels(t *testing.T) {
	got := Levels(4, []simulate.Outage{{From: 15, To: 30, Units: 3}, {From: 10, To: 20, Units: 2}})
	want := []Level{{0, 4}, {10, 2}, {15, 0}, {20, 1}, {30, 4}}
	if !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

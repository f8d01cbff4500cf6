package answer

import (
	"slices"
	"testing"
)

// TestTiles: the tiles are today, the best and the bound of the column that is drawn. A log is today, beside what is
// simulated for it; an answer without a bound, or along an axis, has none.
func TestTiles(t *testing.T) {
	a := example()
	if tiles := a.Tiles(); tiles != nil {
		t.Errorf("without a bound: %v", tiles)
	}
	table := &a.Tables[0]
	table.Columns[1].Drawn = true
	table.Columns[1].Bound = Exactly(Money, 801)
	today, none := Tile{"today", "665 ± 12 $/h", "slurm"}, Tile{"best without harm", "-", "nothing is sure to be better"}
	bound := Tile{"no policy can exceed", "801 $/h", "a proven bound"}
	expect := func(want ...Tile) {
		t.Helper()
		if tiles := a.Tiles(); !slices.Equal(tiles, want) {
			t.Errorf("the tiles are %v, want %v", tiles, want)
		}
	}
	expect(today, none, bound)
	a.Values = append(a.Values, Named{"best", Word("value-bf")})
	best := Tile{"best without harm", "694 $/h", "value-bf"}
	expect(today, best, bound)
	log := slices.Clone(table.Rows[0])
	log[0], log[1], log[len(log)-1] = Word("recorded"), Exactly(Money, 458), Word("log")
	table.Rows = append(table.Rows, log)
	expect(Tile{"today", "458 $/h", "recorded; simulated 665 ± 12 $/h"}, best, bound)
	table.Columns[4].Axis = true
	if tiles := a.Tiles(); tiles != nil {
		t.Errorf("along an axis: %v", tiles)
	}
}

package bench

import (
	"slices"
	"testing"

	"revopt/simulate/run"
)

// search returns a schedule of an instance that was found in so many moves.
func search(t *testing.T, name string, moves int) *Found {
	t.Helper()
	in := find(Instances(), name)
	if err := in.Open(t.Context(), nil, traces); err != nil {
		t.Fatal(err)
	}
	return searched(t, in, moves)
}

// searched returns a schedule of an instance that is open.
func searched(t *testing.T, in *Instance, moves int) *Found {
	t.Helper()
	f, err := in.Find(t.Context(), run.Effort{Moves: moves})
	if err != nil {
		t.Fatal(err)
	}
	if !(f.Share > 0 && f.Share <= 1) || f.Table != Whole {
		t.Errorf("%s: %+v", in.Name, f.Score)
	}
	return f
}

// TestFound: a schedule that knows the future is no worse than any policy that runs every job once, of which scores.csv
// has the best, and repeats.
func TestFound(t *testing.T) {
	for _, name := range []string{"tight-1.0-1", "pools-1.0-2"} {
		f := search(t, name, 1000)
		for _, b := range BestKnown() {
			if b.Name == name && b.Table == Whole && f.Value < b.Value*(1-1e-9) {
				t.Errorf("%s: %g found, %s reaches %g", name, f.Value, b.Policy, b.Value)
			}
		}
		again := search(t, name, 1000)
		if again.Value != f.Value || !slices.Equal(again.Pieces, f.Pieces) {
			t.Errorf("%s: %g, then %g", name, f.Value, again.Value)
		}
	}
}

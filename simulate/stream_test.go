package simulate_test

import (
	"math"
	"testing"

	"revopt/simulate"
)

// TestStreamValues pins the numbers: they are part of what a seed means.
func TestStreamValues(t *testing.T) {
	for _, test := range []struct {
		seed        uint64
		replication int
		purpose     string
		class       int
		want        uint64
	}{
		{0, 0, "arrivals", 0, 0xb2a18749197ce22e},
		{1, 0, "arrivals", 0, 0xac6dea97753cf752},
		{1, 2, "lengths", 3, 0xbfd51ca3dd7bb6e8},
	} {
		if got := simulate.Stream(test.seed, test.replication, test.purpose, test.class).Uint64(); got != test.want {
			t.Errorf("%+v: got %#x", test, got)
		}
	}
}

// TestStreamsApart checks that streams which differ in one thing only differ,
// and do not correlate: the correlation of n uniform pairs has a standard
// deviation of 1/sqrt(n).
func TestStreamsApart(t *testing.T) {
	type key struct {
		seed        uint64
		replication int
		purpose     string
		class       int
	}
	base := key{1, 1, "lengths", 1}
	for _, other := range []key{
		{2, 1, "lengths", 1}, {1, 2, "lengths", 1}, {1, 1, "widths", 1}, {1, 1, "lengths", 2},
	} {
		a := simulate.Stream(base.seed, base.replication, base.purpose, base.class)
		b := simulate.Stream(other.seed, other.replication, other.purpose, other.class)
		const n = 100_000
		var sum float64
		for range n {
			sum += (a.Float64() - 0.5) * (b.Float64() - 0.5)
		}
		if r := 12 * sum / n; math.Abs(r) > 4/math.Sqrt(n) {
			t.Errorf("%+v and %+v correlate: %g", base, other, r)
		}
	}
}

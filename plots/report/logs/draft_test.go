package logs

import (
	"math"
	"testing"
)

// TestAtMost: a time that is not exceeded rounds up.
func TestAtMost(t *testing.T) {
	for seconds, want := range map[float64]string{0: "0 s", 60: "60.0 s", 58801: "16.4 h", 59040: "16.4 h", math.NaN(): "-"} {
		if got := atMost(seconds); got != want {
			t.Errorf("%g s: %s, want %s", seconds, got, want)
		}
	}
}

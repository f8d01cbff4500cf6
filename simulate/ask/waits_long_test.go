//go:build long

package ask

import (
	"fmt"
	"math"
	"testing"
)

// TestServersLong logs the table of docs/theory.md, which has five times the jobs.
func TestServersLong(t *testing.T) {
	for _, c := range serverCases() {
		row := "| " + c.name
		for _, n := range []float64{2, 10, 25} {
			for _, load := range []float64{0.7, 0.9} {
				c.n, c.load = n, load
				off, unsure := c.worst(t, 80_000)
				row += fmt.Sprintf(" | %+.3f ± %.3f", off, unsure)
				if math.Abs(off) > c.within+unsure {
					t.Errorf("%s, %g servers, load %g: off by %.3f", c.name, n, load, off)
				}
			}
		}
		t.Log(row + " |")
	}
}

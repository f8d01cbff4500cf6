//go:build long

package paper

import "testing"

// TestWholeSectionVI checks the figures at every load 0.25, 0.5, ..., 5.
func TestWholeSectionVI(t *testing.T) {
	checkSectionVI(t, Options{Seed: 1, Replications: 10, Shared: new(Shared)})
}

//go:build long

package bound_test

import (
	"math/rand/v2"
	"testing"
)

// TestNoPolicyBeatsTheBoundsOften is the same on 100 workloads.
func TestNoPolicyBeatsTheBoundsOften(t *testing.T) {
	noneAbove(t, rand.New(rand.NewPCG(37, 1)), 100, 1, false)
}

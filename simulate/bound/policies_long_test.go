//go:build long

package bound_test

import (
	"math/rand/v2"
	"testing"
)

// TestNoPolicyBeatsTheBoundsOften is the same on a thousand workloads.
func TestNoPolicyBeatsTheBoundsOften(t *testing.T) {
	noneAbove(t, rand.New(rand.NewPCG(37, 1)), 1000, 1)
}

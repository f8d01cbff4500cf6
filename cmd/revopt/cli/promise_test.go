package cli

import (
	"math"
	"slices"
	"testing"
)

// The cost of a promise is printed, and so is that refusing the class would earn more.
func TestSolvePromise(t *testing.T) {
	a := told(t, shellWords("solve nist-cluster --no-check --utility exact --set 'classes.HvHu.slo={within: 600, level: 0.9}'")...)
	if kept := number(t, a, "promises", 0, "kept"); math.Abs(kept-0.9) > 1e-3 || !(number(t, a, "promises", 0, "cost") > 0) ||
		!slices.Contains(codes(a), "REFUSING") {
		t.Errorf("%+v", a)
	}
}

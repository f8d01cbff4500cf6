package ask

import (
	"context"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/analytic"
	"revopt/simulate/warn"
)

// A proof of an admission that looks at the queue says if it does not close to the gap asked for. No proof in
// numbers of 16 digits closes to 1e-18.
func TestControlGap(t *testing.T) {
	a, err := analytic.Analyze(context.Background(), fixture.Opened(t, `
server: {parallel: 1, waiting: 2, residual: pooled}
load: 1.5
classes:
  - {name: a, share: 30%, length: {dist: exponential, mean: 1h}, price: 90, decay: 0.4}
  - {name: b, share: 70%, length: {dist: exponential, mean: 1h}, price: 30, decay: 0.2}
`), 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, gap := range []float64{1e-6, 1e-18} {
		r, err := best(context.Background(), a, solveOptions{Control: analytic.ControlState, Gap: gap})
		if err != nil {
			t.Fatal(err)
		}
		said := slices.ContainsFunc(r.Warnings, func(w warn.Warning) bool {
			return w.Kind == warn.UnprovenGap && w.Scope == "control" && w.Numbers[0] == gap
		})
		if open := float64(r.Control.RelativeGap) > gap; open != (gap == 1e-18) || said != open {
			t.Errorf("gap %g of %g: %v", r.Control.RelativeGap, gap, r.Warnings)
		}
	}
}

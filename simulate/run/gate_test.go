package run

import (
	"testing"

	"revopt/internal/fixture"
)

// TestGateWith: an admission with an exception is the admission that states another probability. The first admission
// stays as it is.
func TestGateWith(t *testing.T) {
	lots := Gate{Admit: []float64{0.5, 0.7, 1}}
	for name, w := range windows(t) {
		for _, c := range []struct{ got, want Gate }{
			{lots.With(1, 3, 0), Gate{Admit: []float64{0.5, 0, 1}}},
			{Gate{}.With(2, 3, 0), Gate{Admit: []float64{1, 1, 0}}},
		} {
			number := func(g Gate) float64 {
				e := under(t, w, "fcfs", nil, nil, 7)
				e.Admission = g
				x, _ := replicated(t, e, 1, 1).Series(All, ColumnValue).At(0)
				return x
			}
			if got, want := number(c.got), number(c.want); !fixture.Near(got, want, 1e-12) {
				t.Errorf("%s: %+v delivers %g, want %g", name, c.want, got, want)
			}
		}
	}
	if lots.Admit[1] != 0.7 || lots.Same(lots.With(1, 3, 0)) || !lots.Same(Gate{Admit: []float64{0.5, 0.7, 1}}) {
		t.Errorf("%+v", lots)
	}
}

package run

import (
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/agent"
)

// TestGateWith: an admission with an exception is the admission that states it: a threshold of a customer that is always
// or never let in, or another probability. The first admission stays as it is.
func TestGateWith(t *testing.T) {
	limits := Gate{Rule: agent.Thresholds{Share: []float64{1, 1, 1}, Waiting: []int{5, 3, 1}}}
	lots := Gate{Admit: []float64{0.5, 0.7, 1}}
	for name, w := range windows(t) {
		for _, c := range []struct{ got, want Gate }{
			{limits.With(0, 3, 0), Gate{Rule: agent.Thresholds{Share: []float64{0, 1, 1}, Waiting: []int{5, 3, 1}}}},
			{limits.With(1, 3, 1), Gate{Rule: agent.Thresholds{Share: []float64{1, 1, 1}, Waiting: []int{5, -1, 1}}}},
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

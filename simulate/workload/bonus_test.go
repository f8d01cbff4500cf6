package workload

import (
	"math"
	"testing"

	"revopt/model"
)

// TestBonusShapes: every shape pays nothing at first, never falls, pays slope times
// length in the end, and the same whatever the unit of lengths; in between it is
// the formula of its shape.
func TestBonusShapes(t *testing.T) {
	const slope, length = 0.25, 40.0
	for name, c := range map[string]struct {
		shape model.BudgetShape
		want  func(share float64) float64
	}{
		"linear":  {model.BudgetShape{}, func(x float64) float64 { return x }},
		"one":     {model.BudgetShape{Exponent: 1}, func(x float64) float64 { return x }},
		"concave": {model.BudgetShape{Exponent: 0.5}, math.Sqrt},
		"steps": {model.BudgetShape{Steps: []model.BudgetStep{{At: 0.25, Pay: 0.5}, {At: 1, Pay: 0.5}}}, func(x float64) float64 {
			return 0.5 * (math.Floor(math.Min(x, 0.25)*4) + math.Floor(x))
		}},
	} {
		b := bonus(c.shape, slope, length)
		inHours := slower(b, 3600)
		for k := range 9 {
			x := float64(k) / 8
			want := slope * length * c.want(x)
			if got := b.Of(x * length); math.Abs(got-want) > 1e-12 {
				t.Errorf("%s: %g of the length pays %g, want %g", name, x, got, want)
			}
			if got := inHours.Of(x * length / 3600); math.Abs(got-want) > 1e-9 {
				t.Errorf("%s: in other units %g of the length pays %g, want %g", name, x, got, want)
			}
		}
		if bonus(c.shape, slope, 0).Of(0) != 0 {
			t.Errorf("%s: no length pays", name)
		}
	}
}

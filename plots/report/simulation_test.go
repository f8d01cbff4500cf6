package report

import (
	"testing"

	"revopt/simulate/study"
)

// A policy that delivers less, but per hour more because its last job ends
// sooner, is not said to deliver less per hour.
func TestComparedRates(t *testing.T) {
	unit := moneyUnit{"value $", "utility", "delivers", "$", 1}
	for _, c := range []struct {
		total, rate float64
		want        string
	}{
		{10, 0.5, "10.00 $ (1,800 $/h) more than"}, {-10, -0.5, "10.00 $ (1,800 $/h) less than"},
		{-10, 0.5, "10.00 $ less (1,800 $/h more, as its last job ends sooner) than"},
		{10, -0.5, "10.00 $ more (1,800 $/h less, as its last job ends later) than"},
	} {
		total, rate := study.Estimate{Mean: study.Number(c.total)}, study.Estimate{Mean: study.Number(c.rate)}
		if got := compared(total, rate, unit, true); got != c.want {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

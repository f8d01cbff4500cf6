package bound

import (
	"math"
	"testing"

	"revopt/simulate"
)

// TestFromClassFloors checks what a job is worth whose value falls to a floor
// below zero, above zero, and above its price.
func TestFromClassFloors(t *testing.T) {
	for _, c := range []struct{ penalty, expire, want float64 }{
		{3, math.Inf(1), 10},
		{-4, math.Inf(1), 10},
		{-20, math.Inf(1), 20}, // it is worth 20 after its grace
		{-20, 6, 20},           // or if it expires
		{-4, 6, 10},
	} {
		j := simulate.Job{Submit: 1, Work: 5, Width: 1, Price: 10, Decay: 1, Grace: 2, Penalty: c.penalty, Expire: c.expire}
		for _, wait := range []float64{0, 3, 100} {
			if v := j.Value(wait); v > c.want {
				t.Errorf("penalty %g: worth %g after %g s, more than %g", c.penalty, v, wait, c.want)
			}
		}
		r := clairvoyant(t, []Job{FromClass(&j)}, Uniform(1), Options{})
		if math.Abs(r.Bound-c.want) > 1e-9 {
			t.Errorf("penalty %g, expires at %g: bound %g, want %g", c.penalty, c.expire, r.Bound, c.want)
		}
	}
}

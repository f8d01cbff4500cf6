package bench

import (
	"math"
	"testing"

	"revopt/simulate/metric"
)

// TestMeans works the means of a family with two seeds out by hand. A policy that has no share on one instance has no
// mean share.
func TestMeans(t *testing.T) {
	var scores []Score
	for i, in := range named("tight-1.0-1", "tight-1.0-2") {
		for _, of := range []struct {
			policy string
			shares [2]float64
		}{{"a", [2]float64{0.1, 0.2}}, {"b", [2]float64{0.2, 0.5}}} {
			scores = append(scores, in.score(of.policy, of.shares[i]*in.Bound, 0, false))
		}
		scores = append(scores, in.unscored("c", Failed))
	}
	const quantile = 12.706204736 // of Student's t, 97.5 %, with one degree of freedom
	is := func(what string, got metric.Interval, mean, half float64) {
		if !(math.Abs(got.Mean-mean) < 1e-9 && math.Abs(got.HalfWidth-half) < 1e-9) {
			t.Errorf("%s: %v ± %v, want %v ± %v", what, got.Mean, got.HalfWidth, mean, half)
		}
	}
	means := Means(scores)
	if len(means) != 3 || means[1].Policy != "b" || means[1].Name != "tight-1.0" {
		t.Fatalf("%+v", means)
	}
	is("share", means[1].Share, 0.35, quantile*0.15)
	is("difference", means[1].Difference, 0.2, quantile*0.1)
	if m := means[0]; !math.IsNaN(m.Difference.Mean) {
		t.Errorf("the first policy differs from itself: %+v", m)
	}
	if m := means[2]; m.Why != Failed || !math.IsNaN(m.Share.Mean) || !math.IsNaN(m.Difference.Mean) {
		t.Errorf("a policy that failed: %+v", m)
	}
}

package workload

import (
	"math"
	"math/rand/v2"
	"testing"
)

// TestLongDistribution: more numbers than are kept cost little precision.
func TestLongDistribution(t *testing.T) {
	var d Distribution
	rnd := rand.New(rand.NewPCG(1, 2))
	for range maxExact + 500_000 {
		d.Add(1000 * rnd.ExpFloat64())
	}
	if d.exact != nil {
		t.Error("all numbers are kept")
	}
	for _, p := range []float64{0.01, 0.25, 0.5, 0.75, 0.99} {
		if got, want := d.Quantile(p), -1000*math.Log(1-p); math.Abs(got-want) > 0.015*want {
			t.Errorf("quantile %g: got %g, want %g", p, got, want)
		}
	}
	if math.Abs(d.Mean()-1000) > 5 || d.Quantile(1) > d.Max || d.Quantile(0) < d.Min {
		t.Errorf("mean %g, ends %g and %g", d.Mean(), d.Quantile(0), d.Quantile(1))
	}
}

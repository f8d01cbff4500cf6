package paper

import (
	"math"
	"testing"

	"revopt/simulate/metric"
)

func TestRatioOfTotals(t *testing.T) {
	if v := estimate(ratio([]float64{2, 4, 6}, []float64{1, 2, 3})); v.Mean != 1 || v.HalfWidth > 1e-12 {
		t.Errorf("twice as much everywhere: %+v", v)
	}
	a, b := []float64{3, 1}, []float64{1, 3}
	want := metric.Difference(a, b, metric.DefaultLevel).HalfWidth / 2
	if v := estimate(ratio(a, b)); v.Mean != 0 || math.Abs(v.HalfWidth-want) > 1e-12 {
		t.Errorf("as much in total: %+v", v)
	}
}

// sp2File is the trace of the papers.
const sp2File = "../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"

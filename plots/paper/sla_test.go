package paper

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"revopt/plots"
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

func TestTraceIsOnRecord(t *testing.T) {
	r, err := Find("sla-02a")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(sp2File); err != nil {
		t.Skipf("the SP2 trace is not at %s", sp2File)
	}
	res, err := r.Build(context.Background(), Options{Quick: true, Replications: 2, Trace: sp2File})
	if err != nil {
		t.Fatal(err)
	}
	says(t, r.ID, res, "the last 1000 jobs of "+filepath.Base(sp2File))
	if !slices.Contains(res.Provenance.Extra, plots.Pair{Key: "set", Value: "trace.file=" + sp2File}) {
		t.Errorf("the trace is not in %+v", res.Provenance.Extra)
	}
}

// sp2File is the trace of the papers.
const sp2File = "../../../shared/traces/SDSC-SP2-1998-4.2-cln.swf.gz"

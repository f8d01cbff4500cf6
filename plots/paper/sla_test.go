package paper

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/plots"
	"revopt/simulate/metric"
)

// TestSLA checks the figures of Yeo and Buyya (2005) on generated jobs.
func TestSLA(t *testing.T) {
	checkSLA(t, Options{Quick: true, Seed: 1, Shared: new(Shared)})
}

// checkSLA checks the improvement over Libra, averaged over the delay factors,
// curve by curve: it falls from each curve of a figure to the next, except that
// larger budgets raise it.
func checkSLA(t *testing.T, o Options) {
	for _, test := range []struct {
		id    string
		rises bool
		ends  bool // only the outer curves are claimed to differ
	}{
		{"sla-02", false, true}, {"sla-03", false, false}, {"sla-04", true, false}, {"sla-05", false, false},
	} {
		jobs, utility := pair(t, test.id, o)
		for _, fig := range []plots.Figure{jobs, utility} {
			var y []float64
			for _, s := range fig.Series {
				y = append(y, average(s.Y))
			}
			if test.ends {
				y = []float64{y[0], y[2]}
			}
			if !test.rises {
				slices.Reverse(y)
			}
			rises(t, fig.ID, y, 0)
			if y[len(y)-1]-y[0] < 0.02 {
				t.Errorf("%s: averages %.3f hardly differ", fig.ID, y)
			}
		}
		// It falls with the delay factor in jobs; in utility it does not.
		if s := jobs.Series[0]; s.Y[len(s.Y)-1] > s.Y[0] {
			t.Errorf("%s: improvement in jobs rises to %g", jobs.ID, s.Y)
		}
	}
	// On average 20 points more jobs at 20 % hard deadlines than at 80 %.
	fig := build(t, "sla-02a", o).Picture.(plots.Figure)
	near(t, "jobs at 20 against 80 % hard deadlines", average(fig.Series[0].Y)-average(fig.Series[2].Y), 0.2, 0.1)
}

// average returns the mean of some numbers.
func average(x []float64) float64 { return metric.Estimate(x, metric.DefaultLevel).Mean }

func TestRatioOfTotals(t *testing.T) {
	if v := pooled(ratio([]float64{2, 4, 6}, []float64{1, 2, 3})); v.Mean != 1 || v.HalfWidth > 1e-12 {
		t.Errorf("twice as much everywhere: %+v", v)
	}
	if v := pooled(ratio([]float64{3, 1}, []float64{1, 3})); v.Mean != 0 || math.Abs(v.HalfWidth-metric.Difference([]float64{3, 1}, []float64{1, 3}, metric.DefaultLevel).HalfWidth/2) > 1e-12 {
		t.Errorf("as much in total: %+v", v)
	}
}

func TestTracedFiguresDoNotDependOnWorkers(t *testing.T) {
	r, err := Find("sla-05b")
	if err != nil {
		t.Fatal(err)
	}
	var want Result
	for _, workers := range []int{1, 3} {
		got, err := r.Build(context.Background(), Options{Quick: true, Workers: workers, Seed: 3, Replications: 2})
		if err != nil {
			t.Fatal(err)
		}
		if want.Picture != nil && !reflect.DeepEqual(got, want) {
			t.Errorf("%d workers give another figure", workers)
		}
		want = got
	}
}

func TestTraceIsOnRecord(t *testing.T) {
	r, err := Find("sla-02a")
	if err != nil {
		t.Fatal(err)
	}
	missing := filepath.Join(t.TempDir(), "none.swf")
	if _, err := r.Build(context.Background(), Options{Trace: missing}); err == nil || !strings.Contains(err.Error(), "none.swf") {
		t.Errorf("error %v does not name the file", err)
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

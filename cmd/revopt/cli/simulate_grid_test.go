package cli

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestGantt draws the vectors by hand, whose payments are known.
func TestGantt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gantt.svg")
	a := told(t, "simulate", "../../../testdata/ic-vectors.yaml", "--gantt", path)
	for row, want := range []float64{2320, 2500, 2410, 1500, 2000} {
		if got := number(t, a, "policies", row, "value_total"); got != want {
			t.Errorf("row %d pays %g $, want %g", row, got, want)
		}
	}
	data := readText(t, path)
	for _, want := range []string{"mf-timeshare", "returned in part, optional part", "ended in time"} {
		if !strings.Contains(data, want) {
			t.Errorf("the figure does not say %q", want)
		}
	}
	if o := tryWith(t.Context(), "", "simulate", "ic-grid", "--replications", "1", "--gantt", path); o.code == exitDone ||
		!strings.Contains(o.stderr, "simulate fewer jobs") {
		t.Errorf("%+v", o)
	}
}

package cli

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestSimulateGrid(t *testing.T) {
	grid := told(t, "simulate", "ic-grid", "--replications", "2", "--set", "applications.count=60")
	if got := texts(t, grid, "policies", "policy"); !slices.Equal(got, []string{"mf-edf", "mf-hbf", "mf-timeshare", "hard-mo", "hard-m"}) {
		t.Errorf("policies %s", got)
	}
	a := told(t, "simulate", "libra-2004", "--replications", "20")
	if a.Scenario != "libra-2004" || len(a.Tables[0].Rows) != 2 || number(t, a, "policies", 0, "admitted") != 1 ||
		number(t, a, "policies", 1, "admitted") >= 1 {
		t.Errorf("%+v", a.Tables[0])
	}
}

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

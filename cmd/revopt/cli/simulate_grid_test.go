package cli

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"
)

func TestSimulateGrid(t *testing.T) {
	out := must(t, "simulate", "ic-grid", "--replications", "2", "--set", "applications.count=60")
	for _, want := range []string{
		"60 jobs at load ", " on 6 sites with 144 processors", "mf-edf", "mf-hbf", "mf-timeshare",
		"hard-mo", "hard-m",
	} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
		}
	}
	var report struct {
		Scenario string
		Policies []struct {
			Name       string
			Acceptance struct{ Mean float64 }
		}
	}
	text := must(t, "simulate", "libra-2004", "--replications", "20", "--json")
	if err := json.Unmarshal([]byte(text), &report); err != nil {
		t.Fatal(err)
	}
	if report.Scenario != "libra-2004" || len(report.Policies) != 2 || report.Policies[0].Acceptance.Mean != 1 ||
		report.Policies[1].Acceptance.Mean >= 1 {
		t.Errorf("%+v", report)
	}
}

// TestGantt draws the vectors by hand, whose payments are known.
func TestGantt(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gantt.svg")
	out := must(t, "simulate", "../../../testdata/ic-vectors.yaml", "--gantt", path)
	for _, want := range []string{"2,320", "2,500", "2,410", "1,500", "2,000"} {
		if !strings.Contains(out, want) {
			t.Errorf("no %q in\n%s", want, out)
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

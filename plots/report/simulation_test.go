package report

import (
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// A column of lost jobs is shown if any row has such jobs.
func TestLossColumns(t *testing.T) {
	rows := []study.Estimates{make(study.Estimates, len(metric.Measures())), make(study.Estimates, len(metric.Measures()))}
	for i, m := range metric.Measures() {
		if m.Name == "jobs_killed" || m.Name == "jobs_late" {
			rows[1][i].Mean = 3
		}
	}
	if got := lossColumns(rows); len(got) != 2 || got[0].heading != "killed" || got[1].heading != "late" || got[1].format(rows[1].Get("jobs_late")) != "3" {
		t.Errorf("%v", got)
	}
	for mean, want := range map[metric.Number]string{0.5: "1,800 $/h more than", -0.5: "1,800 $/h less than", 0: "the same as"} {
		if got := compared(study.Estimate{Mean: mean}); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

package run

import (
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
)

// Few replications bear a skewness of 2.3, many more.
func TestTooSkewed(t *testing.T) {
	if a, b := tooSkewed(10), tooSkewed(400); a != 2.3 || b != 9.6 {
		t.Error(a, b)
	}
	e := under(t, fixture.Opened(t, oneExponential, scenario.Set("load", 0.9)).Workload, "hol", nil, nil, 1)
	empty := Record{map[string]Columns{All: {}}}
	runs := &Runs{records: []Record{empty, empty, empty, empty, empty}}
	jobs, yes := runs.Skewed(e)
	if want := 7.5 * 7.5 * 726 / 1800 / (2.3 * 2.3) * 2000; !yes || math.Abs(jobs-want) > 1e-6 {
		t.Errorf("%v, %g jobs, want %g", yes, jobs, want)
	}
}

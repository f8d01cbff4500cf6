package run

import (
	"math"
	"strings"
	"testing"

	"revopt/internal/fixture"
)

// The bound of joined pools leaves out a job that is wider than each of them: $3 for the
// other three jobs, of an hour each.
func TestBoundWithoutWideJobs(t *testing.T) {
	text := strings.ReplaceAll(oneUnitPools, "units: 1", "units: 2") +
		"classes: [{name: x, price: {per_unit_hour: 1}, decay: {per_hour: 50%}, max_penalty: 0}]\n"
	jobs := [][5]int{{0, 3600, 4, 1, 1}, {0, 3600, 1, 1, 1}, {0, 3600, 1, 1, 2}, {3600, 3600, 1, 1, 2}}
	s := fixture.Ruled(t, text, jobs...)
	l := labOf(t, s, Options{Seed: 1})
	row := drained(l, "easy", nil, 0)
	limits := bounded(l, row, Bound{On: Value().Name})
	got, _ := framed(t, l, 1, limits).Series(limits, All, BoundLimit).At(0)
	if math.Abs(got-3) > 0.001 {
		t.Errorf("the bound is $%g", got)
	}
}

package ask

import (
	"context"
	"fmt"
	"reflect"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/warn"
)

// TestUnitsOfLists: a job that lists pools of different units runs in those with the unit of the
// first that it names, because its width is counted in that unit. One warning counts such jobs.
func TestUnitsOfLists(t *testing.T) {
	const pools = "pools: [{name: a, units: 1, unit: %s, of: {partition: a}}, " +
		"{name: b, units: 1, unit: gpu, of: {partition: b}}]\n"
	jobs := [][3]int{{0, 100, 1}, {0, 50, 2}, {10, 80, 3}, {20, 10, 4}}
	for unit, want := range map[string][]string{
		"gpu": {"a 0", "b 0", "b 50", "a 100"}, "core": {"a 0", "b 0", "a 100", "b 50"},
	} {
		s, got := fixture.PairOfPools(t, fmt.Sprintf(pools, unit), jobs...), fixture.Starts{}
		if _, err := under(t, s.Workload, "fcfs", nil, nil, 1).Run(context.Background(), 0, got); err != nil {
			t.Fatal(err)
		}
		for i, want := range want {
			if got[int64(i)] != want {
				t.Errorf("%s: job %d starts %s, want %s", unit, i, got[int64(i)], want)
			}
		}
		warned := []warn.Warning{warn.New(warn.MixedUnits, "a", "b").With(2)}
		if unit == "gpu" {
			warned = nil
		}
		if got := poolWarnings(s.Workload.Pools()); !reflect.DeepEqual(got, warned) {
			t.Errorf("%s: warnings %v", unit, got)
		}
	}
}

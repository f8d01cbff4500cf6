package whatif

import (
	"context"
	"math"
	"testing"

	"revopt/internal/fixture"
)

// Two jobs of an hour come to each of two pools of one unit at once, and one more to pool a
// after four hours. One more unit spares the second job an hour of wait: $3.60 in a, $0.72 in b,
// over four hours of arrivals. By unit a should grow first, at $0.10 and $0.01 an hour b.
func TestWhichPoolShouldGrow(t *testing.T) {
	jobs := []pooledJob{{0, 3600, 1, 1, 1}, {0, 3600, 1, 1, 1}, {0, 3600, 1, 2, 2}, {0, 3600, 1, 2, 2}, {4 * 3600, 3600, 1, 1, 1}}
	s := fixture.Opened(t, "trace: {file: "+pooledTrace(t, jobs, 2, 1, 2)+"}\n"+`pools:
  - {name: a, units: 1, unit: core, of: {partition: [a]}}
  - {name: b, units: 1, unit: gpu}
classes:
  - {name: x, of: {group: [1]}, price: {per_unit_hour: 10}, decay: 0.001, max_penalty: none}
  - {name: y, price: {per_unit_hour: 10}, decay: 0.0002, max_penalty: none}
`)
	changes, err := ParseChanges(s, "pools.*=+1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		costs Costs
		by    string
		rank  [2]int    // of the pools
		want  []float64 // by pool
	}{
		{nil, GainPerUnit, [2]int{1, 2}, []float64{0.9, 0.18}},
		{Costs{{Unit: "core", PerHour: 0.1}, {Unit: "gpu", PerHour: 0.01}}, GainPerDollar, [2]int{2, 1}, []float64{8, 17}},
		{Costs{{Unit: "core", PerHour: 0.1}}, GainPerDollar, [2]int{1, 0}, []float64{8}}, // b has no cost
	} {
		r, err := (&WhatIf{Subject: s, Changes: changes, Policy: &fixture.Named(t, "fcfs")[0], Costs: c.costs}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		ranks := [2]int{r.Changes[0].Rank, r.Changes[1].Rank}
		if g := r.Grow; g == nil || g.By != c.by || g.Ties != 1 || ranks != c.rank ||
			(len(g.Unpriced) == 1) != (c.rank[1] == 0) {
			t.Fatalf("%+v, ranks %d", r.Grow, ranks)
		}
		for i, want := range c.want {
			got := r.Changes[i].GainPerUnit
			if c.by == GainPerDollar {
				got = r.Changes[i].GainPerDollar
			}
			if math.Abs(float64(got.Mean)-want) > 1e-9 {
				t.Errorf("%s, %s: %g, want %g", c.by, r.Changes[i].Name, got.Mean, want)
			}
		}
	}
	// Two changes of one pool are no choice between pools, and beside another the better one counts.
	twice, err := ParseChanges(s, "pools.a=+2")
	if err != nil {
		t.Fatal(err)
	}
	both := append(twice, changes...)
	for n, want := range map[int][]int{1: {0}, 2: {0, 0}, 3: {0, 1, 2}} {
		r, err := (&WhatIf{Subject: s, Changes: both[:n], Policy: &fixture.Named(t, "fcfs")[0]}).Run(context.Background())
		if err != nil || (r.Grow != nil) != (n == 3) {
			t.Fatalf("%d changes: %+v, %v", n, r.Grow, err)
		}
		for i, rank := range want {
			if r.Changes[i].Rank != rank {
				t.Errorf("of %d changes %s has rank %d, want %d", n, r.Changes[i].Name, r.Changes[i].Rank, rank)
			}
		}
	}
}

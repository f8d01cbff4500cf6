package study

import (
	"context"
	"math"
	"testing"
)

// Two jobs of an hour come to each of two pools of one unit at once, and one more to pool a
// after four hours. One more unit spares the second job an hour of wait: $3.60 in a, $0.72 in b,
// over four hours of arrivals. By unit a should grow first, at $0.10 and $0.01 an hour b.
func TestWhichPoolShouldGrow(t *testing.T) {
	jobs := []pooledJob{{0, 3600, 1, 1, 1}, {0, 3600, 1, 1, 1}, {0, 3600, 1, 2, 2}, {0, 3600, 1, 2, 2}, {4 * 3600, 3600, 1, 1, 1}}
	s := opened(t, "trace: {file: "+pooledTrace(t, jobs, 2, 1, 2)+"}\n"+`pools:
  - {name: a, units: 1, unit: core, of: {partition: [a]}}
  - {name: b, units: 1, unit: gpu}
classes:
  - {name: x, of: {group: [1]}, price: {per_unit_hour: 10}, decay: 0.001, max_penalty: none}
  - {name: y, price: {per_unit_hour: 10}, decay: 0.0002, max_penalty: none}
`)
	changes, err := s.ParseChanges("pools.*=+1")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		costs Costs
		by    string
		rank  int       // of pool a
		want  []float64 // by pool
	}{
		{nil, GainPerUnit, 1, []float64{0.9, 0.18}},
		{Costs{{Unit: "core", PerHour: 0.1}, {Unit: "gpu", PerHour: 0.01}}, GainPerDollar, 2, []float64{8, 17}},
		{Costs{{Unit: "core", PerHour: 0.1}}, GainPerUnit, 1, []float64{0.9, 0.18}},
	} {
		r, err := (&WhatIf{Subject: s, Changes: changes, Policy: &named(t, "fcfs")[0], Costs: c.costs}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if g := r.Grow; g == nil || g.By != c.by || g.Ties != 1 || r.Changes[0].Rank != c.rank || r.Changes[1].Rank != 3-c.rank {
			t.Fatalf("%+v, ranks %d and %d", r.Grow, r.Changes[0].Rank, r.Changes[1].Rank)
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
	if r, err := (&WhatIf{Subject: s, Changes: changes[:1]}).Run(context.Background()); err != nil || r.Grow != nil {
		t.Errorf("of one pool: %+v, %v", r.Grow, err)
	}
}

package whatif

import (
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/internal/text"
)

// TestCosts: each unit is charged at the cost of its word.
func TestCosts(t *testing.T) {
	costs := Costs{{Unit: "core", PerHour: 0.25, Price: 100}, {Unit: "GPU", PerHour: 2}}
	for _, tt := range []struct {
		units  []PoolUnits
		costs  Costs
		hourly float64
		price  float64
		known  bool
	}{
		{[]PoolUnits{{"cpu", "core", [2]int{64, 72}}}, costs, 2, 800, true},
		{[]PoolUnits{{"big", "GPU", [2]int{6, 4}}}, costs, -4, 0, true},
		{[]PoolUnits{{"cpu", "core", [2]int{64, 72}}, {"big", "GPU", [2]int{6, 7}}, {"small", "GPU", [2]int{30, 33}}},
			costs, 10, 0, true},
		{[]PoolUnits{{"cpu", "core", [2]int{64, 72}}, {"big", "GPU", [2]int{6, 7}}}, costs[:1], 0, 0, false},
		{[]PoolUnits{{"big", "GPU", [2]int{6, 7}}}, costs[:1], 0, 0, false},
	} {
		c := &ChangeResult{Units: tt.units, Nodes: [2]int{100, 100}}
		for _, u := range tt.units {
			c.Nodes[1] += u.Units[1] - u.Units[0]
		}
		cost, known := tt.costs.Of(c)
		if cost.PerHour != tt.hourly || cost.Price != tt.price || known != tt.known {
			t.Errorf("%+v: %+v, %v", tt.units, cost, known)
		}
	}
}

// TestPoolChanges: pools.* is a change for each pool.
func TestPoolChanges(t *testing.T) {
	s := fixture.Opened(t, pooled)
	names := func(arg string) []string {
		list, err := ParseChanges(s, arg)
		if err != nil {
			return []string{err.Error()}
		}
		return text.Each(list, func(c Change) string { return c.Name + " " + c.Set[0].Path + "=" + c.Set[0].Value })
	}
	for arg, want := range map[string][]string{
		"pools.*=+10%": {"pools.cpu=+10% (70) pools.cpu.units=70", "pools.big=+10% (7) pools.big.units=7",
			"pools.small=+10% (33) pools.small.units=33"},
		"pools.*.units=-2": {"pools.cpu=-2 pools.cpu.units=62", "pools.big=-2 pools.big.units=4",
			"pools.small=-2 pools.small.units=28"},
		"nodes=+8": {"--change nodes=+8: expected one of the pools, as in pools.cpu=+16, " +
			"or each of them, as in pools.*=+10%"},
		"pools.cpu.units=80":   {"pools.cpu=80 pools.cpu.units=80"},
		"pools.cpu.policy=hol": {"pools.cpu.policy=hol pools.cpu.policy=hol"},
	} {
		if got := names(arg); !slices.Equal(got, want) {
			t.Errorf("%s: %q, want %q", arg, got, want)
		}
	}
	_, err := ParseChanges(site(t), "pools.*=+10%")
	if err == nil || !strings.Contains(err.Error(), "expected pools") {
		t.Error(err)
	}
	for cost, want := range map[string]string{
		"2.10/gpu-hour": "", "0.2/core-hour 1/GPU": "", "0.2/core 0.3/core-hour": "expected one cost of a core",
		"0.2/node-hour": "expected $ per GPU or core", "0.2": "expected $ per GPU or core",
		"0.2/unit-hour": "expected $ per GPU or core", "-1/core-hour": "expected $ above 0",
	} {
		if _, err := ParseCosts(s, strings.Fields(cost)); want == "" && err != nil ||
			want != "" && (err == nil || !strings.HasPrefix(err.Error(), want)) {
			t.Errorf("%s: %v, want %q", cost, err, want)
		}
	}
}

// TestPoolCosts: a change of a pool pays for its own units, all changes together for all.
func TestPoolCosts(t *testing.T) {
	s := fixture.Opened(t, pooled)
	w := &WhatIf{Subject: s, Seed: 1, Costs: Costs{{Unit: "core", PerHour: 0.25}, {Unit: "GPU", PerHour: 2}}}
	r := what(t, w, "pools.cpu=+8", "pools.small=+3")
	for i, cost := range []float64{2, 6, 8} {
		c := r.Changes[i]
		if c.Net == nil || !fixture.Near(float64(c.Simulation.Difference.Mean-c.Net.Mean), cost, 1e-9) {
			t.Errorf("%s: net %v of %v, want less %g", c.Name, c.Net, c.Simulation.Difference, cost)
		}
	}
	if u := r.Changes[1].Units; len(u) != 1 || u[0] != (PoolUnits{"small", "GPU", [2]int{30, 33}}) || r.Cost != nil ||
		len(r.Costs) != 2 {
		t.Errorf("units %+v, costs %v", u, r.Costs)
	}
}

package simulation

import (
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/subject"
)

// seeded returns the scenario site with 300 generated jobs of a seed.
func seeded(t *testing.T, seed uint64) *subject.Subject {
	t.Helper()
	doc, err := scenario.Builtin("site")
	if err == nil {
		doc, err = doc.With(scenario.Override{Path: "trace.jobs", Value: "last:300"})
	}
	if err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(t.Context(), doc, seed, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// TestGeneratedLoad: the seed does not change the arrival delay factor of generated jobs, but the load that
// they offer. A machine that does all work of a replication is used for as much of the time that it takes.
func TestGeneratedLoad(t *testing.T) {
	var factors, loads []float64
	for seed := range uint64(2) {
		r := run(t, &Simulation{Subject: seeded(t, seed), Policies: fixture.Named(t, "easy"), Replications: 3, Seed: seed})
		used, _ := metric.Lookup("utilization")
		o := r.Samples[0].Row(0, 0)
		work := 0.0
		for k, share := range o.Plain(used, -1) {
			work += share * o.Observed()[k] / o.Spans()[k] / float64(r.Replications)
		}
		if math.Abs(work-float64(r.Load)) > 1e-9 {
			t.Errorf("load %g, but the work done is %g of the capacity while jobs come", r.Load, work)
		}
		factors, loads = append(factors, float64(*r.DelayFactor)), append(loads, float64(r.Load))
	}
	if factors[0] != factors[1] || loads[0] == loads[1] {
		t.Errorf("factors %v, loads %v", factors, loads)
	}
}

// A job that no pool takes is counted among the rejected jobs, under its reason.
func TestCountsWithoutPool(t *testing.T) {
	const text = "pools: [{name: a, units: 2, of: {partition: a}}]\nclasses: [{name: x, price: {per_unit_hour: 1}}]\n"
	s := fixture.Ruled(t, text, [5]int{0, 10, 1, 1, 1}, [5]int{5, 10, 1, 1, 2})
	m := decoded(t, run(t, &Simulation{Subject: s, Policies: fixture.Named(t, "easy"), Seed: 1}))
	row := m["policies"].([]any)[0].(map[string]any)
	for _, name := range []string{"jobs_rejected", "rejected_no_pool", "jobs_rejected_no_pool"} {
		if count, ok := row[name].(map[string]any); !ok || count["mean"] != 1.0 {
			t.Errorf("%s: %v", name, row[name])
		}
	}
}

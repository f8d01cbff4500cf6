package plan

import (
	"context"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
)

// A sweep runs what is not random once, and what an admission makes random as
// often as it is asked to.
func TestSweepOnce(t *testing.T) {
	doc := fixture.Parsed(t, fixture.Customers(t))
	spec, err := NewSweep(scenario.Sweep{
		Scenario: doc, Replications: 3, Metrics: []string{"utilization"},
		Admissions: []scenario.Admission{{Name: scenario.AdmitAll}, {Admit: []float64{0.5, 1}}, {Name: scenario.AdmitAnalytic}},
		Vary:       []scenario.Axis{{Path: "trace.arrival_delay_factor", Values: []float64{0.5, 1}}},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := spec.Open(context.Background(), nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := runOn(context.Background(), plan, Engine{})
	if err != nil || !results.Complete() {
		t.Fatal(err)
	}
	for point := range plan.Plan.Points() {
		for a := range 3 {
			at := Case{Point: point, Admission: a}
			want := 1
			if (experiment.Admission{Admit: results.Admit(at)}).Random() {
				want = 3
			}
			if i := results.Interval(at, "utilization", ""); i.N != want || math.IsInf(i.HalfWidth, 1) != (want == 1) {
				t.Errorf("%+v: %+v, want %d replications", at, i, want)
			}
		}
	}
}

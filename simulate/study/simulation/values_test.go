package simulation

import (
	"reflect"
	"testing"

	"revopt/internal/exact"
	"revopt/internal/fixture"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
)

// TestValues: the values by replication make the estimates, with control variates
// and with a precision.
func TestValues(t *testing.T) {
	s := fixture.Builtin(t, "nist-cluster")
	stop := &plan.Stop{Measure: metric.MeanWait(), Precision: metric.Precision{Relative: 0.3, Max: 12}}
	for _, r := range []*study.Result{run(t, &Simulation{Subject: s, Replications: 3, Seed: 7}), run(t, &Simulation{Subject: s, Seed: 3, Stop: stop})} {
		for _, row := range r.Policies {
			for k, m := range metric.Measures() {
				v := row.Values[0][k]
				got := study.NewEstimate(r.Outcome().Estimate(v.Best(), v.Plain))
				if want := row.Total[k]; !reflect.DeepEqual(exact.Marshal(got), exact.Marshal(want)) {
					t.Errorf("%s of %s is %+v, its values make %+v", m.Name, row.Label, want, got)
				}
			}
		}
	}
}

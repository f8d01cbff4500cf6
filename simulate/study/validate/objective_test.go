package validate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/plan"
	"revopt/simulate/study"
)

// objective validates policies, all that apply where there are none, by an objective.
func objective(t testing.TB, of, text string, policies ...string) *study.Result {
	t.Helper()
	v := &Validation{Subject: fixture.Opened(t, text), Objective: of, Replications: 2, Seed: 7, All: policies == nil}
	if policies != nil {
		v.Policies = fixture.Named(t, policies...)
	}
	r, err := v.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// No policy that runs every job is below the bound, whatever the jobs; the others have no
// efficiency. A row reaches its own measure of the same name.
func TestNoPolicyBelowWaits(t *testing.T) {
	const day = "trace: {file: sp2-like, jobs: last:50, arrival_delay_factor: %s}\n"
	const qos = "classes: [{name: x, price: {per_unit_hour: 1}, grace: 1h, decay: 0.001," +
		" expire: zero, max_penalty: 0}]\n"
	measures := map[string]string{plan.ObjectiveWait: "mean_wait", plan.ObjectiveSlowdown: "mean_bounded_slowdown"}
	compared, marked := 0, 0
	for of, measure := range measures {
		for _, text := range []string{fmt.Sprintf(day, "2"), fmt.Sprintf(day, "0.5"), fmt.Sprintf(day, "0.5") + qos} {
			r := objective(t, of, text)
			if r.Validated.Objective != of || len(r.Validated.Bounds) != 2 || !r.Validated.Bounds[0].Best {
				t.Fatalf("%s: bounds %+v", of, r.Validated.Bounds)
			}
			any, once := r.Validated.Bounds[0], r.Validated.Bounds[1]
			if once.Limits != plan.UnpreemptedPolicies || !(once.Total > any.Total && once.Found >= once.Total) {
				t.Errorf("%s: bounds %+v", of, r.Validated.Bounds)
			}
			for _, row := range r.Policies {
				v := row.Validated
				ran := row.Total.Get("jobs_completed").Mean
				if math.Abs(float64(ran-r.Jobs)) > 1e-9 {
					if marked++; !math.IsNaN(float64(v.Efficiency.Mean)) {
						t.Errorf("%s: %s ran %g of %g jobs and has an efficiency", of, row.Label, ran, r.Jobs)
					}
					continue
				}
				compared++
				for k, x := range v.Efficiencies {
					if !(x >= 0 && x <= 1+1e-9) {
						t.Errorf("%s: %s is at %g of the bound in replication %d", of, row.Label, x, k)
					}
					got := float64(any.Totals[k]) / float64(x) // NaN for a bound of 0
					if least := float64(once.Totals[k]); v.Kind == plan.UnpreemptedPolicies && got < least*(1-1e-9) {
						t.Errorf("%s: %s reaches %g, least is %g in replication %d", of, row.Label, got, least, k)
					}
				}
				got, want := float64(v.Delivered.Mean), float64(row.Total.Get(measure).Mean)
				if v.Kind == plan.UnpreemptedPolicies && math.Abs(got-want) > 1e-6*want+1e-6 {
					t.Errorf("%s: %s reaches %g, its %s is %g", of, row.Label, got, measure, want)
				}
			}
		}
	}
	if compared < 50 || marked < 10 {
		t.Errorf("%d rows are compared, %d are not", compared, marked)
	}
}

// Bounds and means of two pools are those of two traces, weighted by their jobs.
func TestWaitsOfPools(t *testing.T) {
	random := rand.New(rand.NewPCG(32, 6))
	var jobs []pooledJob
	for i := range 60 {
		part := 1 + random.IntN(2)
		jobs = append(jobs, pooledJob{20 * i, 5 + random.IntN(600), 1 + random.IntN(8/part), 1, part})
	}
	jobs[0].partition, jobs[1].partition, jobs[1].submit = 1, 2, 0 // so that both traces begin at the same time
	for _, of := range []string{plan.ObjectiveWait, plan.ObjectiveSlowdown} {
		both := objective(t, of, "trace: {file: "+pooledTrace(t, jobs, 12, 1, 2)+"}\n"+`pools:
  - {name: a, units: 8, unit: core, of: {partition: [a]}}
  - {name: b, units: 4, unit: gpu, of: {partition: [b]}}
`, "easy")
		var bound, got float64
		for i, pool := range both.Pools {
			text := fmt.Sprintf("trace: {file: %s, nodes: %d}\n", pooledTrace(t, jobs, pool.Units, i+1), pool.Units)
			alone := objective(t, of, text, "easy")
			share := float64(pool.Jobs / both.Jobs)
			bound += share * float64(alone.Validated.Bounds[0].Total)
			got += share * float64(alone.Policies[0].Validated.Delivered.Mean)
			if x, y := pool.Bounds[0].Total, alone.Validated.Bounds[0].Total; math.Abs(float64(x/y-1)) > 1e-9 {
				t.Errorf("%s in %s: bound %g, alone %g", of, pool.Name, x, y)
			}
			own, want := both.Policies[0].Pools[i].Efficiency.Mean, alone.Policies[0].Validated.Efficiency.Mean
			if math.Abs(float64(own/want-1)) > 1e-6 {
				t.Errorf("%s in %s: efficiency %g, alone %g", of, pool.Name, own, want)
			}
		}
		v := both.Policies[0].Validated
		x, y := float64(both.Validated.Bounds[0].Total), float64(v.Delivered.Mean)
		if math.Abs(x/bound-1) > 1e-9 || math.Abs(y/got-1) > 1e-6 {
			t.Errorf("%s: bound %g and mean %g, want %g and %g", of, x, y, bound, got)
		}
	}
}

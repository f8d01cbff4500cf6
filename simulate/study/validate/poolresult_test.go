package validate

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// validation validates policies on a scenario of the given text.
func validation(t testing.TB, text string, policies ...string) *study.Result {
	t.Helper()
	r, err := (&Validation{Subject: fixture.Opened(t, text), Policies: fixture.Named(t, policies...)}).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Two pools are two traces: the measures of a pool are those of its jobs alone on a machine of
// its size, its bounds are theirs, and both add up to the whole.
func TestPoolsAreTraces(t *testing.T) {
	random := rand.New(rand.NewPCG(30, 4))
	var jobs []pooledJob
	for i := range 60 {
		part := 1 + random.IntN(2)
		jobs = append(jobs, pooledJob{40 * i, 30 + random.IntN(600), 1 + random.IntN(8/part), 1 + random.IntN(2), part})
	}
	jobs[0].partition, jobs[1].partition, jobs[1].submit = 1, 2, 0 // so that both traces begin at the same time
	const classes = `classes:
  - {name: x, of: {group: [1]}, price: {per_unit_hour: %s}, decay: 0.001, max_penalty: {of_price: 0.5}}
  - {name: y, price: {per_unit_hour: %s}, grace: 5m, decay: 0.01, max_penalty: none}
`
	both := validation(t, "trace: {file: "+pooledTrace(t, jobs, 12, 1, 2)+"}\n"+`pools:
  - {name: a, units: 8, unit: core, of: {partition: [a]}}
  - {name: b, units: 4, unit: gpu, of: {partition: [b]}}
`+fmt.Sprintf(classes, "{a: 9, b: 40}", "7"), "easy", "value-bf", "fcfs")
	prices := []string{"9", "40"}
	same := []string{"utility", "price_total", "mean_wait", "mean_bounded_slowdown", metric.QuantileNames()[1], "jobs_submitted", "jobs_completed",
		"jobs_given_up", "jobs_rejected", "jobs_late", "acceptance"}
	sums := map[string]float64{}
	for i, pool := range both.Pools {
		alone := validation(t, fmt.Sprintf("trace: {file: %s, nodes: %d}\n", pooledTrace(t, jobs, pool.Units, i+1), pool.Units)+
			fmt.Sprintf(classes, prices[i], "7"), "easy", "value-bf", "fcfs")
		if math.Abs(float64(pool.Jobs-alone.Jobs)) > 1e-9 || len(pool.Bounds) != 4 {
			t.Errorf("%s: %g jobs, want %g; %d bounds", pool.Name, pool.Jobs, alone.Jobs, len(pool.Bounds))
		}
		for k, b := range pool.Bounds {
			sums[b.Name] += float64(b.Total)
			if want := alone.Validated.Bounds[k]; b.Name != want.Name || math.Abs(float64(b.Total/want.Total-1)) > 1e-9 {
				t.Errorf("%s: %s bound of $%g, alone %s of $%g", pool.Name, b.Name, b.Total, want.Name, want.Total)
			}
		}
		for _, row := range both.Policies {
			want := alone.Policies[slices.IndexFunc(alone.Policies, func(r study.Row) bool { return r.Label == row.Label })]
			for _, name := range same {
				got, want := float64(row.InPools[i].Get(name).Mean), float64(want.Total.Get(name).Mean)
				if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
					t.Errorf("%s, %s: %s is %g, alone %g", row.Label, pool.Name, name, got, want)
				}
			}
			if got, want := row.Pools[i].Efficiency.Mean, want.Validated.Efficiency.Mean; math.Abs(float64(got-want)) > 1e-9 {
				t.Errorf("%s, %s: efficiency %g, alone %g", row.Label, pool.Name, got, want)
			}
			for k, c := range row.Customers {
				in := row.InPools[slices.IndexFunc(row.InPools, func(s study.CustomerRow) bool { return s.Name == c.Name && s.Pool == pool.Name })]
				if got, want := in.Get("utility").Mean, want.Customers[k].Get("utility").Mean; math.Abs(float64(got-want)) > 1e-9 {
					t.Errorf("%s, %s: $%g, alone $%g", row.Label, in.Label(), got, want)
				}
			}
		}
	}
	for _, b := range both.Validated.Bounds {
		if b.Kind == study.Proven && math.Abs(float64(b.Total)/sums[b.Name]-1) > 1e-9 {
			t.Errorf("%s bound of $%g, of the pools together $%g", b.Name, b.Total, sums[b.Name])
		}
	}
	for _, row := range both.Policies {
		for _, name := range []string{"utility", "jobs_submitted", "jobs_completed", "jobs_given_up", "jobs_late"} {
			sum := float64(row.InPools[0].Get(name).Mean + row.InPools[1].Get(name).Mean)
			if all := float64(row.Total.Get(name).Mean); math.Abs(sum-all) > 1e-9*(1+math.Abs(all)) {
				t.Errorf("%s: %s is %g, in the pools %g", row.Label, name, all, sum)
			}
		}
	}
}

package policy_test

import (
	"context"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// kept reads the jobs of a source, so that a benchmark measures the policy.
func kept(b testing.TB, trace *workload.Trace, delay float64, qos model.QoS) []contract {
	source, err := replayed(trace, workload.ReplayOptions{Delay: delay, QoS: &qos}, 0)
	if err != nil {
		b.Fatal(err)
	}
	var jobs []contract
	for {
		var j simulate.Job
		if ok, err := source.Next(&j); err != nil || !ok {
			return jobs
		}
		q := j.Value
		jobs = append(jobs, contract{
			at: j.Submit, runtime: j.Work, estimate: j.Spec.Details.Estimate, width: j.Width,
			deadline: q.Due, budget: q.Price, penalty: q.Decay, hard: q.Hard, class: j.Class,
		})
	}
}

// BenchmarkSP2 runs the last jobs of the SP2 trace, as the papers do: 5000 at
// an arrival delay factor of 0.5, and 1000 at 0.02, where most nodes of LibraSLA
// are short.
func BenchmarkSP2(b *testing.B) {
	light, heavy := table1(), section51()
	light.Penalty, light.Hard = heavy.Penalty, heavy.Hard
	pricing := kept(b, sp2Last(b, 5000, workload.Keep), 0.5, light)
	agreements := kept(b, sp2Last(b, 1000, workload.Drop), 0.02, heavy)
	for _, bench := range []struct {
		name    string
		policy  string
		options policy.Settings
		jobs    []contract
	}{
		{"libra", "libra", nil, pricing},
		{"libra,spare=none", "libra", policy.Settings{"spare": "none"}, pricing},
		{"libra+$", "libra+$", nil, pricing},
		{"libra-sla", "libra-sla", nil, pricing},
		{"libra,heavy", "libra", policy.Settings{"spare": "none"}, agreements},
		{"libra-sla,heavy", "libra-sla", nil, agreements},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			for range b.N {
				_, err := simulate.Run(context.Background(), simulate.Config{
					Source: &contracts{jobs: bench.jobs},
					Sites:  []simulate.Site{{Processors: 128, Policy: tableau(b, bench.policy, bench.options)}},
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(bench.jobs))/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

package policy_test

import (
	"context"
	"testing"

	"revopt/model"
	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/workload"
)

// splitJobs is a source of given jobs, of which it shares the lengths.
type splitJobs struct {
	jobs []simulate.Job
	next int
}

func (s *splitJobs) Next(j *simulate.Job) (bool, error) {
	if s.next == len(s.jobs) {
		return false, nil
	}
	from := &s.jobs[s.next]
	s.next++
	j.Class, j.Submit, j.Work, j.Width, j.Expire, j.Spec, j.Value = from.Class, from.Submit, from.Work, from.Width, from.Expire, from.Spec, from.Value
	return true, nil
}

// BenchmarkImprecise runs 2000 generated SP2 jobs, split into a mandatory and an
// optional part, at an arrival delay factor of 0.5.
func BenchmarkImprecise(b *testing.B) {
	trace, err := workload.Load(context.Background(), workload.Selection{File: workload.SP2Like, Subset: workload.Subset{Last: 2000}}, 1)
	if err != nil {
		b.Fatal(err)
	}
	qos := table1()
	source, err := replayed(trace, workload.ReplayOptions{
		Delay: 0.5, QoS: &qos, Split: &model.Split{Optional: model.Interval{Low: 0.5, High: 4}, Rate: 0.2},
	}, 0)
	if err != nil {
		b.Fatal(err)
	}
	var jobs []simulate.Job
	for {
		var j simulate.Job
		if ok, err := source.Next(&j); err != nil || !ok {
			break
		}
		jobs = append(jobs, j)
	}
	for _, name := range policy.Schemes() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				_, err := simulate.Run(context.Background(), simulate.Config{
					Source: &splitJobs{jobs: jobs},
					Sites:  []simulate.Site{{Processors: trace.Nodes(), Policy: tableau(b, name, nil)}},
				})
				if err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.N*len(jobs))/b.Elapsed().Seconds(), "jobs/s")
		})
	}
}

package simulate_test

import (
	"context"
	"fmt"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
)

// TestSameAtAnyWorkerCount compares all sums of replications, to the last bit.
func TestSameAtAnyWorkerCount(t *testing.T) {
	var want string
	for _, workers := range []int{1, 2, 8} {
		tallies := must(metric.Replicate(context.Background(), 0, 12, workers, func(_ context.Context, replication int) (*metric.Tally, error) {
			return runTable2(t, 1.5, 5000, replication), nil
		}))
		var got string
		for _, tally := range tallies {
			got += fmt.Sprintf("%v %v\n", tally.Total(), tally.Class(2))
		}
		if want == "" {
			want = got
		}
		if got != want {
			t.Errorf("%d workers: results differ from those of one", workers)
		}
	}
}

// submissions is an observer that notes what every job is, as submitted.
type submissions struct{ lines []string }

func (s *submissions) Observe(e simulate.Event) {
	if e.Kind == simulate.Submitted {
		j := e.Job
		s.lines = append(s.lines, fmt.Sprintf("%d %x %x %d %x %x", j.Class, j.Submit, j.Work, j.Width, j.Chance, j.Expire))
	}
}

// TestCommonRandomNumbers: policies and admissions see the same jobs.
func TestCommonRandomNumbers(t *testing.T) {
	half := agent.Lottery{0.5, 0, 1, 0.2}
	var want []string
	for i, test := range []struct {
		policy    simulate.Policy
		admission simulate.Admission
	}{{policy.NewHOL(false), nil}, {policy.NewFCFS(false), nil}, {policy.NewFCFS(true), half}} {
		source := must(drawn(table2(2), 7, 3))
		got := new(submissions)
		run(t, simulate.Config{
			Source:    source,
			Sites:     []simulate.Site{{Processors: 5000, Policy: test.policy}},
			Admission: test.admission,
			Window:    simulate.Window{Jobs: 2000, Drain: true},
			Observers: []simulate.Observer{got},
		})
		if i == 0 {
			want = got.lines
		}
		if len(want) != 2000 || len(got.lines) != len(want) {
			t.Fatalf("%d and %d jobs, want 2000", len(want), len(got.lines))
		}
		for k := range want {
			if got.lines[k] != want[k] {
				t.Fatalf("policy %d, job %d: %s, want %s", i, k, got.lines[k], want[k])
			}
		}
	}
}

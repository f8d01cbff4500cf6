package simulate_test

import (
	"fmt"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
)

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

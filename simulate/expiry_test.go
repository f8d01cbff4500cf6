package simulate_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// leaving is a scribe that can be left.
type leaving struct{ scribe }

func (l *leaving) Leave(c *simulate.Cluster, j *simulate.Job) {
	l.note(c.Now(), "leave %d, %d wait", j.ID, c.Waiting())
	l.queue.Remove(j)
}

// until returns a job that gives up at the given time.
func until(submit, work float64, width int, expire float64) simulate.Job {
	j := job(submit, work, width)
	j.Expire = expire
	return j
}

// TestExpiryPhase: jobs give up after completions and arrivals, and before
// timers and the decision. The event that must come second is scheduled first.
func TestExpiryPhase(t *testing.T) {
	for _, test := range []struct {
		name   string
		jobs   []simulate.Job
		timers map[int64]float64
		at     float64
		want   []string
	}{
		{
			name: "a processor that falls free at the time of expiry comes too late",
			jobs: []simulate.Job{job(0, 5, 1), until(1, 1, 1, 5)},
			at:   5,
			want: []string{"completed 0", "leave 1, 1 wait", "admitted 1", "expired 1", "schedule"},
		},
		{
			name: "arrival before expiry",
			jobs: []simulate.Job{job(0, 9, 1), until(1, 1, 1, 5), job(5, 1, 1)},
			at:   5,
			want: []string{"submitted 2", "leave 1, 2 wait", "admitted 1", "expired 1", "schedule"},
		},
		{
			name:   "expiry before timers, of which its own is void",
			jobs:   []simulate.Job{job(0, 9, 1), job(1, 1, 1), until(2, 1, 1, 5)},
			timers: map[int64]float64{1: 5, 2: 5},
			at:     5,
			want:   []string{"leave 2, 2 wait", "admitted 2", "expired 2", "timer 1", "schedule"},
		},
		{
			name: "a start clears the expiry",
			jobs: []simulate.Job{job(0, 3, 1), until(1, 9, 1, 5)},
			at:   5,
		},
		{
			name: "a job whose time is over is given one decision",
			jobs: []simulate.Job{job(0, 9, 1), until(5, 1, 1, 2)},
			at:   5,
			want: []string{"submitted 1", "schedule", "leave 1, 1 wait", "admitted 1", "expired 1", "schedule"},
		},
		{
			name: "and may start",
			jobs: []simulate.Job{until(5, 1, 1, 5)},
			at:   5,
			want: []string{"submitted 0", "schedule", "admitted 0", "started 0"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			book := new(logbook)
			run(t, simulate.Config{
				Source:    &list{jobs: test.jobs},
				Sites:     []simulate.Site{{Processors: 1, Policy: &leaving{scribe{logbook: book, timers: test.timers}}}},
				Observers: []simulate.Observer{book},
			})
			if got := book.during(test.at); !slices.Equal(got, test.want) {
				t.Errorf("at %g: got %q, want %q", test.at, got, test.want)
			}
		})
	}
}

// TestNoLeave: a job that gives up while it waits needs a policy that can be
// left, and a penalty that has a bound.
func TestNoLeave(t *testing.T) {
	jobs := func(v simulate.Value) *list {
		j := until(1, 1, 1, 5)
		j.Value = v
		return &list{jobs: []simulate.Job{job(0, 9, 1), j}}
	}
	for _, test := range []struct {
		name     string
		policy   simulate.Policy
		value    simulate.Value
		charging simulate.Charging
		want     string
	}{
		{"no Leave", &scribe{logbook: new(logbook)}, simulate.Value{}, simulate.ByPolicy, "job 1 gives up at 5 s, and policy *simulate_test.scribe has no Leave method"},
		{"unbounded", policy.NewFCFS(false), simulate.ByDeadline(1, 1, 1, false), simulate.ByValue, "job 1 gives up at 5 s and would cost a penalty without bounds"},
		{"unbounded, not charged", policy.NewFCFS(false), simulate.ByDeadline(1, 1, 1, false), simulate.ByPolicy, ""},
		{"hard", policy.NewFCFS(false), simulate.ByDeadline(1, 1, 1, true), simulate.ByValue, ""},
	} {
		got := make(fates)
		_, err := simulate.Run(context.Background(), simulate.Config{
			Source: jobs(test.value), Sites: []simulate.Site{{Processors: 1, Policy: test.policy}}, Charging: test.charging,
			Observers: []simulate.Observer{got},
		})
		switch {
		case test.want == "" && (err != nil || got[1].finish != 5 || got[1].revenue != 0):
			t.Errorf("%s: %v, %+v", test.name, err, got[1])
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)):
			t.Errorf("%s: got %v, want %q", test.name, err, test.want)
		}
	}
	// A policy that never lets jobs wait need not be left.
	if _, err := simulate.Run(context.Background(), simulate.Config{
		Source: &list{jobs: []simulate.Job{until(0, 9, 1, 5), until(1, 9, 1, 2)}}, Sites: []simulate.Site{{Processors: 2, Policy: &scribe{logbook: new(logbook)}}},
	}); err != nil {
		t.Error(err)
	}
}

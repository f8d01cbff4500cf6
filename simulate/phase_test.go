package simulate_test

import (
	"slices"
	"testing"

	"revopt/simulate"
)

// scribe is a policy that notes its calls, starts what fits in order of
// arrival, and sets a timer where a test wants one.
type scribe struct {
	*logbook
	queue  simulate.Queue
	timers map[int64]float64
	wakes  []float64 // asked for one after the other
}

func (s *scribe) Arrive(c *simulate.Cluster, j *simulate.Job) {
	s.queue.Push(j)
	if at, ok := s.timers[j.ID]; ok {
		c.Timer(j, at)
	}
	for _, at := range s.wakes {
		c.WakeAt(at)
	}
	s.wakes = nil
}

func (s *scribe) Timer(c *simulate.Cluster, j *simulate.Job) {
	s.note(c.Now(), "timer %d", j.ID)
}

func (s *scribe) Schedule(c *simulate.Cluster) {
	s.note(c.Now(), "schedule")
	for j := s.queue.Head(); j != nil && j.Width <= c.Free(); j = s.queue.Head() {
		s.queue.Remove(j)
		c.Start(j)
	}
}

// TestPhases checks what happens at one instant, for every pair of phases. The
// event that must come second is always scheduled first.
func TestPhases(t *testing.T) {
	for _, test := range []struct {
		name   string
		jobs   []simulate.Job
		timers map[int64]float64
		wakes  []float64
		at     float64
		want   []string
	}{
		{
			name: "completion before arrival",
			jobs: []simulate.Job{job(0, 5, 1), job(5, 1, 1)},
			at:   5,
			want: []string{"completed 0", "submitted 1", "schedule", "admitted 1", "started 1"},
		},
		{
			name: "completion before arrival but for rounding", // 0.1 + 0.2 > 0.3
			jobs: []simulate.Job{job(0.1, 0.2, 1), job(0.3, 1, 1)},
			at:   0.3,
			want: []string{"completed 0", "submitted 1", "schedule", "admitted 1", "started 1"},
		},
		{
			name:   "completion before wake",
			jobs:   []simulate.Job{job(0, 2, 1), job(1, 3, 1), job(1, 9, 1)},
			timers: map[int64]float64{2: 5},
			at:     5,
			want:   []string{"completed 1", "timer 2", "schedule", "admitted 2", "started 2"},
		},
		{
			name:   "arrival before wake",
			jobs:   []simulate.Job{job(0, 9, 1), job(1, 1, 1), job(5, 1, 1)},
			timers: map[int64]float64{1: 5},
			at:     5,
			want:   []string{"submitted 2", "timer 1", "schedule"},
		},
		{
			name: "completion before decision, once",
			jobs: []simulate.Job{job(0, 5, 1), job(1, 4, 1)},
			at:   5,
			want: []string{"completed 0", "schedule", "admitted 1", "started 1"},
		},
		{
			name: "arrivals before decision, once",
			jobs: []simulate.Job{job(0, 9, 1), job(5, 1, 1), job(5, 1, 1)},
			at:   5,
			want: []string{"submitted 1", "submitted 2", "schedule"},
		},
		{
			name:  "wake before decision, once",
			jobs:  []simulate.Job{job(0, 9, 1), job(1, 1, 1)},
			wakes: []float64{5},
			at:    5,
			want:  []string{"schedule"},
		},
		{
			name:  "a wake replaces the one before",
			jobs:  []simulate.Job{job(0, 9, 1)},
			wakes: []float64{5, 6},
			at:    5,
		},
		{
			name: "what a decision causes is a new instant",
			jobs: []simulate.Job{job(0, 5, 1), job(1, 0, 1)},
			at:   5,
			want: []string{"completed 0", "schedule", "admitted 1", "started 1", "completed 1", "schedule"},
		},
		{
			name:   "a start clears the timer",
			jobs:   []simulate.Job{job(0, 9, 1)},
			timers: map[int64]float64{0: 5},
			at:     5,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			book := new(logbook)
			run(t, simulate.Config{
				Source:    &list{jobs: test.jobs},
				Sites:     []simulate.Site{{Processors: 1, Policy: &scribe{logbook: book, timers: test.timers, wakes: test.wakes}}},
				Observers: []simulate.Observer{book},
			})
			if got := book.during(test.at); !slices.Equal(got, test.want) {
				t.Errorf("at %g: got %q, want %q", test.at, got, test.want)
			}
		})
	}
}

// TestCompletionsTogether checks that completions which differ by rounding
// only are one instant, and those which differ by more are not.
func TestCompletionsTogether(t *testing.T) {
	for _, test := range []struct {
		late      float64
		decisions int
	}{
		{0, 1}, {3e-15, 1}, {1e-12, 2},
	} {
		book := new(logbook)
		run(t, simulate.Config{
			Source:    &list{jobs: []simulate.Job{job(0, 1, 1), job(0, 1+test.late, 1)}},
			Sites:     []simulate.Site{{Processors: 2, Policy: &scribe{logbook: book}}},
			Observers: []simulate.Observer{book},
		})
		decisions := -1 // one at the start
		for _, line := range book.lines {
			if line == "schedule" {
				decisions++
			}
		}
		if decisions != test.decisions {
			t.Errorf("a completion later by %g: %d decisions, want %d", test.late, decisions, test.decisions)
		}
	}
}

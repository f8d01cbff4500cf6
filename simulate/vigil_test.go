package simulate_test

import (
	"context"
	"strings"
	"testing"

	"revopt/simulate"
)

// sleeper is a policy that asks for a wake in every decision. It starts jobs in order of arrival as they
// fit, one decision after they came, but for those from a number on.
type sleeper struct {
	queue simulate.Queue
	none  int64 // the first job that it never starts
	wake  func(now float64) float64
}

func (s *sleeper) Arrive(_ *simulate.Cluster, j *simulate.Job) { s.queue.Push(j) }

func (s *sleeper) Leave(_ *simulate.Cluster, j *simulate.Job) { s.queue.Remove(j) }

func (s *sleeper) Schedule(c *simulate.Cluster) {
	for j := s.queue.Head(); j != nil && j.Width <= c.Free() && j.Submit < c.Now() && j.ID < s.none; j = s.queue.Head() {
		s.queue.Remove(j)
		c.Start(j)
	}
	c.WakeAt(s.wake(c.Now()))
}

// TestIdleWakes: a policy that does nothing but ask to be woken ends the run with an error, and one that
// waits for something does not.
func TestIdleWakes(t *testing.T) {
	after := func(s float64) func(float64) float64 { return func(now float64) float64 { return now + s } }
	blocked := []simulate.Job{job(0, 300_000, 1), job(1, 1, 1)}
	leaves := job(0, 1, 1)
	leaves.Expire = 250_000
	for _, test := range []struct {
		name string
		jobs []simulate.Job
		none int64
		wake func(float64) float64
		want string // in the error; "" is none
	}{
		{"starts nothing", []simulate.Job{job(0, 1, 1), job(1e9, 1, 1)}, 0, after(1), "1 jobs wait"},
		{"nothing left", []simulate.Job{job(0, 1, 1), job(1, 1, 1)}, 1, after(1), "1 jobs wait"},
		{"now", blocked, 9, after(0), "from 0 s to 0 s"},
		{"hardly later", blocked, 9, after(1e-12), "0 jobs wait"},
		{"past", blocked, 9, after(-1), "wake at -1 s, which is before now, 0 s"},
		{"blocked", blocked, 9, after(1), ""},
		{"gives up", []simulate.Job{leaves, job(0, 260_000, 1)}, 0, after(30), "1 jobs wait"},
		{"gives up while another runs", []simulate.Job{job(0, 260_000, 1), leaves}, 1, after(1), ""},
		{"pause", []simulate.Job{job(0, 1, 1), job(300_001.5, 1, 1)}, 9, after(1), ""},
	} {
		_, err := simulate.Run(context.Background(), simulate.Config{
			Source: &list{jobs: test.jobs},
			Sites:  []simulate.Site{{Processors: 1, Policy: &sleeper{none: test.none, wake: test.wake}}},
		})
		switch {
		case test.want == "" && err != nil:
			t.Errorf("%s: %v", test.name, err)
		case test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want) ||
			!strings.Contains(err.Error(), "policy *simulate_test.sleeper: ")):
			t.Errorf("%s: %v, want %q", test.name, err, test.want)
		}
	}
}

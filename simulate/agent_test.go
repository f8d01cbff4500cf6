package simulate_test

import (
	"reflect"
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// bell is an agent that notes what it is told of.
type bell struct {
	*logbook
	site *simulate.Cluster
}

// Join sets timers in the reverse order of their phases, and one that is canceled.
func (b *bell) Join(sites []*simulate.Cluster, timers *simulate.Timers) error {
	b.site = sites[0]
	timers.Set(1, simulate.PhaseMove, b, 2)
	canceled := timers.Set(1, simulate.PhaseArrival, b, 0)
	timers.Set(1, simulate.PhaseArrival, b, 1)
	timers.Cancel(canceled)
	timers.Set(9, simulate.PhaseArrival, b, 3) // in the place of the canceled one
	timers.Cancel(canceled)
	for t, name := range []string{"waits", "leaves", "starts", "finishes"} {
		b.site.Watch(simulate.Transition(t), func(c *simulate.Cluster, j *simulate.Job) { b.note(c.Now(), "%s %d", name, j.ID) })
	}
	b.site.AfterDecision(func(c *simulate.Cluster) { b.note(c.Now(), "decided") })
	return nil
}

func (b *bell) Timer(tag int) { b.note(b.site.Now(), "timer %d", tag) }

// TestAgent: timers run out in the order of the documented phases, a canceled one never does,
// and the agent is told of the life of a job in order.
func TestAgent(t *testing.T) {
	book := new(logbook)
	run(t, simulate.Config{
		Source: &list{jobs: []simulate.Job{job(1, 10, 1)}}, Observers: []simulate.Observer{book},
		Sites:  []simulate.Site{{Processors: 1, Policy: policy.NewFCFS(false)}},
		Agents: []simulate.Agent{&bell{logbook: book}},
	})
	for at, want := range map[float64][]string{
		1: {"timer 1", "submitted 0", "waits 0", "admitted 0", "timer 2", "leaves 0", "starts 0", "started 0", "decided"},
		9: {"timer 3", "decided"}, 11: {"finishes 0", "completed 0", "decided"},
	} {
		if got := book.during(at); !reflect.DeepEqual(got, want) {
			t.Errorf("at %g: %v, want %v", at, got, want)
		}
	}
}

package policy_test

import (
	"iter"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
	"revopt/simulate/policy/policytest"
)

// lister is an observer that keeps the queue and the running jobs of a site by the events, and
// compares them with those of the cluster.
type lister struct {
	t             *testing.T
	queue, served []int64
	from          int // events to wait before the first comparison
	seen          int
}

func (l *lister) Observe(e simulate.Event) {
	if e.Job == nil {
		return
	}
	id := e.Job.ID
	without := func(list []int64) []int64 {
		return slices.DeleteFunc(list, func(other int64) bool { return other == id })
	}
	switch e.Kind {
	case simulate.Submitted:
		l.queue = append(l.queue, id)
		return // it is not placed yet
	case simulate.Started, simulate.Resumed:
		l.queue, l.served = without(l.queue), append(l.served, id)
	case simulate.Preempted:
		l.served, l.queue = without(l.served), append(l.queue, id)
		slices.Sort(l.queue)
	case simulate.Completed:
		l.served = without(l.served)
	case simulate.Rejected, simulate.Expired:
		l.queue = without(l.queue)
		return // it leaves now
	}
	if l.seen++; l.seen < l.from {
		return
	}
	queue, served := slices.Collect(ids(e.Site.Queue())), slices.Collect(ids(e.Site.Served()))
	if l.seen == l.from { // of jobs that started at one instant the order is not known
		slices.Sort(served)
		own := slices.Sorted(slices.Values(l.served))
		if !slices.Equal(served, own) {
			l.t.Fatalf("at %g, %v of job %d: %v run, want %v", e.Time, e.Kind, id, served, own)
		}
		l.served = slices.Collect(ids(e.Site.Served()))
		served = l.served
	}
	if !slices.Equal(queue, l.queue) || !slices.Equal(served, l.served) {
		l.t.Fatalf("at %g, %v of job %d: %v wait and %v run, want %v and %v",
			e.Time, e.Kind, id, queue, served, l.queue, l.served)
	}
}

// ids returns the numbers of jobs.
func ids(jobs iter.Seq[*simulate.Job]) iter.Seq[int64] {
	return func(yield func(int64) bool) {
		for j := range jobs {
			if !yield(j.ID) {
				return
			}
		}
	}
}

// TestLists follows the queue and the running jobs of a cluster through starts, ends, outages,
// preemption and deadlines, from the beginning on or from a later time.
func TestLists(t *testing.T) {
	const processors = 8
	dedicated(t, func(t *testing.T, s policy.Spec, given policy.Settings) {
		for seed := range uint64(6) {
			rnd := rand.New(rand.NewPCG(seed, 33))
			jobs := make([]policytest.Submission, 40)
			at := 0.0
			for i := range jobs {
				at += float64(rnd.IntN(6))
				run := float64(1 + rnd.IntN(30))
				jobs[i] = policytest.Submission{
					At: at, Runtime: run, Estimate: max(1, run+float64(rnd.IntN(20)-8)), Width: 1 + rnd.IntN(processors),
					Deadline: 20 + float64(rnd.IntN(200)), Budget: float64(rnd.IntN(100)), Penalty: 1, Hard: rnd.IntN(2) == 0,
				}
			}
			out := drawOutages(rnd, processors, false)
			policytest.Audited(t, simulate.Config{
				Sites:     []simulate.Site{{Processors: processors, Policy: policytest.ByName(t, s.Name, given)}},
				Agents:    []simulate.Agent{&agent.Outages{List: out}},
				Observers: []simulate.Observer{&lister{t: t, from: 1 + 20*int(seed%2)}},
			}, policytest.Submitted(jobs))
		}
	})
}

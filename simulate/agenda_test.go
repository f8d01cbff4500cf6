package simulate

import (
	"math/rand/v2"
	"sort"
	"testing"
)

// TestAgendaOrder compares the agenda with a stable sort by (time, phase): events
// of few distinct times, so that ties abound.
func TestAgendaOrder(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for n := range 300 {
		var h agenda
		type key struct {
			at float64
			p  Phase
			id int32
		}
		var want []key
		for i := range n {
			k := key{float64(rnd.IntN(5)), Phase(rnd.IntN(4)), int32(i)}
			want = append(want, k)
			h.push(k.at, k.p, k.id, 0)
		}
		// A purge in the middle must leave the order of the rest.
		if n%2 == 1 {
			odd := func(e event) bool { return e.target%2 == 1 }
			h.purge(odd)
			kept := want[:0]
			for _, k := range want {
				if k.id%2 == 0 {
					kept = append(kept, k)
				}
			}
			want = kept
		}
		sort.SliceStable(want, func(i, j int) bool {
			return want[i].at < want[j].at || want[i].at == want[j].at && want[i].p < want[j].p
		})
		for i, k := range want {
			e := *h.top()
			h.pop()
			if e.at() != k.at || e.phase() != k.p || e.target != k.id {
				t.Fatalf("%d events, event %d: got (%g, %d, %d), want %v", n, i, e.at(), e.phase(), e.target, k)
			}
		}
		if h.len() != 0 {
			t.Fatalf("%d events are left", h.len())
		}
	}
}

// TestHeapFollowsJobs: jobs that start long before their timers would run out
// leave stale events behind, which must not pile up.
func TestHeapFollowsJobs(t *testing.T) {
	k := &kernel{gate: gate{Window: Window{Jobs: 20_000}}, source: new(patient), arrival: event{time: never}}
	k.watch(nil)
	if err := k.build([]Site{{Processors: 1, Policy: new(timing)}}); err != nil {
		t.Fatal(err)
	}
	k.begin()
	largest := 0
	for !(k.gate.closed && k.gate.outstanding == 0) {
		if !k.step() {
			t.Fatal("the run stalled")
		}
		largest = max(largest, k.events.len())
	}
	if largest > 200 {
		t.Errorf("up to %d events in the heap for two jobs at a time", largest)
	}
	if len(k.jobs.all) != slotBlock {
		t.Errorf("%d slots for two jobs at a time", len(k.jobs.all))
	}
}

// patient is a source of jobs that come when the one before is half done.
type patient struct{ n float64 }

func (s *patient) Next(j *Job) (bool, error) {
	j.Submit, j.Work, j.Width = s.n, 1.5, 1
	s.n++
	if int(s.n)%2 == 0 {
		j.Work = 0.5
	}
	return true, nil
}

// timing is a policy that sets a timer of 10^9 s on every job.
type timing struct{ queue Queue }

func (p *timing) Arrive(c *Cluster, j *Job) {
	p.queue.Push(j)
	c.Timer(j, c.Now()+1e9)
}

func (p *timing) Schedule(c *Cluster) {
	if j := p.queue.Head(); j != nil && c.Free() > 0 {
		p.queue.Remove(j)
		c.Start(j)
	}
}

func (p *timing) Timer(*Cluster, *Job) { panic("simulate: a stale timer fired") }

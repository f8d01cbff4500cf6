package simulate_test

import (
	"iter"
	"maps"
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
)

// puller is a policy that starts all jobs at once and asks for the rest of an earlier list of waiting jobs when
// one ends.
type puller struct {
	next func() (*simulate.Job, bool)
	rest []int64
}

func (p *puller) Arrive(*simulate.Cluster, *simulate.Job) {}

func (p *puller) Schedule(c *simulate.Cluster) {
	if p.next != nil {
		return
	}
	p.next, _ = iter.Pull(c.Queue())
	first, _ := p.next()
	c.Start(first)
	for j := range c.Queue() {
		c.Start(j)
	}
}

func (p *puller) Finish(*simulate.Cluster, *simulate.Job) {
	for j, ok := p.next(); ok; j, ok = p.next() {
		p.rest = append(p.rest, j.ID)
	}
}

// TestQueueMeanwhile: a job that has started since a list of waiting jobs was made is not in its rest, also at
// the moment at which it ends.
func TestQueueMeanwhile(t *testing.T) {
	p := new(puller)
	run(t, simulate.Config{
		Source: &list{jobs: []simulate.Job{job(0, 10, 1), job(0, 5, 1)}},
		Sites:  []simulate.Site{{Processors: 2, Policy: p}},
	})
	if len(p.rest) > 0 {
		t.Errorf("jobs %v are listed as waiting", p.rest)
	}
}

// revenues notes what jobs have paid in the end, by ID.
type revenues map[int64]float64

func (r revenues) Observe(e simulate.Event) {
	if e.Kind == simulate.Completed || e.Kind == simulate.Expired {
		r[e.Job.ID] = e.Job.Revenue
	}
}

// TestKilledPaysNothing: a job that an outage kills pays nothing, and no penalty; one that gives up pays its
// penalty, unless its patience ends.
func TestKilledPaysNothing(t *testing.T) {
	price := func(j simulate.Job, expire, patience float64) simulate.Job {
		j.Value, j.Expire, j.Patience = worth(10, 1, 0, 7, j.Work), expire, patience
		return j
	}
	never := math.Inf(1)
	got := revenues{}
	run(t, simulate.Config{
		Source: simulate.Slice([]simulate.Job{price(job(0, 10, 2), never, 0), price(job(1, 10, 2), 4, 0),
			price(job(2, 10, 2), 5, 3), price(job(8, 10, 2), never, 0)}),
		Sites:     []simulate.Site{{Processors: 2, Policy: policy.NewFCFS(false)}},
		Agents:    []simulate.Agent{&agent.Outages{List: []simulate.Outage{{From: 6, To: 7, Units: 1, Kill: true}}}},
		Charging:  simulate.ByValue,
		Observers: []simulate.Observer{got},
	})
	if want := (revenues{0: 0, 1: -7, 2: 0, 3: 10}); !maps.Equal(got, want) {
		t.Errorf("paid %v, want %v", got, want)
	}
}

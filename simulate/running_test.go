package simulate_test

import (
	"maps"
	"math"
	"testing"

	"revopt/simulate"
	"revopt/simulate/agent"
	"revopt/simulate/policy"
)

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

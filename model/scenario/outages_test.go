package scenario

import (
	"math/rand/v2"
	"reflect"
	"testing"

	"revopt/model"
)

// outOfOrder gives the machine of a scenario outages and units to rent.
func outOfOrder(s *Scenario, rnd *rand.Rand) {
	pool, rent := "", &s.Rent
	if s.Pools != nil {
		i := rnd.IntN(len(s.Pools))
		pool, rent = s.Pools[i].Name, &s.Pools[i].Rent
	}
	*rent = &model.Rent{Price: rnd.Float64() / hour, Startup: float64(rnd.IntN(2)), Limit: rnd.IntN(3),
		Minimum: hour * float64(rnd.IntN(2))}
	s.Down = []Outage{
		{From: 3600 * float64(rnd.IntN(50)), To: 1e6, Units: 1 + rnd.IntN(4), Pool: pool}, {To: 0.5, Jobs: "kill"},
	}
	if s.Trace != nil {
		s.Down = append(s.Down, Outage{From: 915148800, To: 915148860, Dated: true, Pool: pool, Planned: true},
			Outage{Events: "/tmp/a b.txt", Reservations: "/res", Pool: pool, Jobs: "finish"})
	}
}

// TestOutages reads outages in all forms.
func TestOutages(t *testing.T) {
	const text = `trace: {file: a.swf, nodes: 4}
machine:
  down:
    - {from: 2h, to: 1d, units: 3, planned: true}
    - {from: 2026-12-01T08:00, to: 2026-12-02, jobs: kill}
    - {events: /e.txt, reservations: /r.txt, jobs: requeue}
`
	s, err := decodeText(text)
	if err != nil {
		t.Fatal(err)
	}
	want := []Outage{
		{From: 7200, To: 86400, Units: 3, Planned: true}, {From: 1796112000, To: 1796169600, Dated: true, Jobs: "kill"},
		{Events: "/e.txt", Reservations: "/r.txt", Jobs: "requeue"},
	}
	if !reflect.DeepEqual(s.Down, want) {
		t.Errorf("got %+v", s.Down)
	}
	if got := s.Files(); !reflect.DeepEqual(got[1:], []string{"/e.txt", "/r.txt"}) {
		t.Errorf("files %q", got)
	}
}

// TestRent reads the terms of rented units, of the machine and of a pool.
func TestRent(t *testing.T) {
	const jobs = "classes:\n  - {name: a, rate: 1, length: {dist: exponential, mean: 1}, price: 1"
	terms := model.Rent{Price: 0.25 / hour, Startup: 300, Limit: 512, Minimum: hour}
	const stated = "{price: 0.25, startup: 5m, limit: 512, minimum: 1h}"
	s, err := decodeText("server: {nodes: 4}\nmachine: {rent: " + stated + "}\n" + jobs + "}\n")
	if err != nil || *s.Rent != terms {
		t.Errorf("got %+v, %v", s, err)
	}
	s, err = decodeText("server: {nodes: 4}\nmachine: {rent: off}\n" + jobs + "}\n")
	if err != nil || s.Rent != nil {
		t.Errorf("got %+v, %v", s, err)
	}
	s, err = decodeText("pools: [{name: p, units: 4, rent: {price: 0}}, {name: q, units: 2, rent: off}]\n" + jobs + ", pool: p}\n")
	if err != nil || *s.Pools[0].Rent != (model.Rent{}) || s.InPool(0).Rent == nil || s.InPool(1).Rent != nil {
		t.Errorf("got %+v, %v", s, err)
	}
}

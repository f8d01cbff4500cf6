package scenario

import (
	"math/rand/v2"
	"reflect"
	"testing"
)

// outOfOrder gives the machine of a scenario outages.
func outOfOrder(s *Scenario, rnd *rand.Rand) {
	pool := ""
	if s.Pools != nil {
		pool = s.Pools[rnd.IntN(len(s.Pools))].Name
	}
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

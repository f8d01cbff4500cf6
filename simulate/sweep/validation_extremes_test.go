package sweep

import (
	"math"
	"reflect"
	"testing"
)

// TestAllThereIs checks that who collects all there is, in another order than
// the bounds add it up, is not above them by a rounding error.
func TestAllThereIs(t *testing.T) {
	const idle = `server: {nodes: 3}
load: 0.001
simulation: {replications: 8}
classes:
  - {name: a, share: 0.3, length: {mean: 10, dist: deterministic}, price: 3, decay: 0.1}
  - {name: b, share: 0.7, length: {mean: 10, sd: 30, dist: hyperexponential}, width: {values: [1, 3], weights: [0.5, 0.5]}, price: {per_node_hour: 100}, decay: 0.01, grace: {lengths: 2}}
`
	v := &Validation{Scenario: parsed(t, idle), Contenders: []Contender{{Policy: "hol"}}, Jobs: 300, Seed: 1}
	p := &validated(t, v, 0).Points[0]
	for _, b := range p.Bounds[:2] {
		for k, most := range b.Total {
			if got := p.Rows[0].Delivered[k]; got > most {
				t.Errorf("replication %d delivers %v, the %s bound is %v", k, got, b.Name, most)
			}
		}
	}
}

// TestNothingToEarn checks the order where no policy can have an efficiency.
func TestNothingToEarn(t *testing.T) {
	const free = "server: {nodes: 1}\nload: 2\nclasses: [{name: a, length: {mean: 10, sd: 3}, price: 0, decay: 1}]\n"
	v := &Validation{Scenario: parsed(t, free), Contenders: []Contender{{Policy: "hol"}, {Policy: "hol", Admission: "none", Admit: [][]float64{{0}}}}, Jobs: 50, Seed: 1}
	p := &validated(t, v, 0).Points[0]
	if order := p.Order(); !math.IsNaN(p.Efficiency(0).Mean) || !reflect.DeepEqual(order, []int{1, 0}) {
		t.Errorf("order %v, efficiency %+v", order, p.Efficiency(0))
	}
}

package simulation

import (
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/warn"
)

// One pool may have more work than it can serve although the machine as a whole does not.
func TestPoolOverload(t *testing.T) {
	const text = `
load: 0.5
pools: [{name: big, units: 30}, {name: small, units: 2}]
simulation: {jobs: 500, replications: 2}
classes:
  - {name: x, pool: big, share: 50%, length: {dist: deterministic, mean: 10}, price: 1, decay: 0.001, max_penalty: none}
  - {name: y, pool: small, share: 50%, length: {dist: deterministic, mean: 10}, price: 1, decay: 0.001, max_penalty: none}
`
	r := run(t, &Simulation{Subject: fixture.Opened(t, text), Policies: fixture.Named(t, "fcfs")})
	if i := slices.IndexFunc(r.Warnings, func(w warn.Warning) bool { return w.Kind == warn.Overload }); i < 0 ||
		strings.Join(r.Warnings[i].Names, " ") != "fcfs small" {
		t.Errorf("warnings %v", r.Warnings)
	}
	if got := []float64{float64(r.Pools[0].Load), float64(r.Pools[1].Load)}; math.Abs(got[0]-8./30) > 1e-9 || math.Abs(got[1]-4) > 1e-9 {
		t.Errorf("loads %v", got)
	}
	if u := r.Policies[0].InPools[1].Get("utilization").Mean; u < 0.99 {
		t.Errorf("the small pool is used to %g", u)
	}
}

package whatif

import (
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/study"
)

// TestPolicyOfPool: a pool shows the policy that it has of its own, and a change that names the
// unit of a pool is refused with the way to name the pool.
func TestPolicyOfPool(t *testing.T) {
	s := fixture.Opened(t, "load: 0.5\npools: [{name: a, units: 4, unit: gpu, policy: conservative}, "+
		"{name: b, units: 4, unit: core}]\n"+
		"simulation: {jobs: 50}\nclasses: [{name: x, pool: a, length: {mean: 10, sd: 1}, price: 1}]\n")
	if list := study.NewResult(s, 1, false).Pools; list[0].Policy != "conservative" || list[1].Policy != "" {
		t.Errorf("pools %+v", list)
	}
	for _, arg := range []string{"nodes=+16", "gpus=+16", "cores=+16"} {
		if _, err := ParseChange(s, arg); err == nil || !strings.Contains(err.Error(), "as in pools.a=+16") {
			t.Errorf("%s: %v", arg, err)
		}
	}
}

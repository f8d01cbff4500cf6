package policy_test

import (
	"testing"

	"revopt/simulate"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// TestCharging: the option of every policy for whole jobs says who decides.
func TestCharging(t *testing.T) {
	for _, spec := range catalog.Standard() {
		for _, auto := range []simulate.Charging{simulate.ByPolicy, simulate.ByValue} {
			for value, want := range map[string]simulate.Charging{"auto": auto, "value": simulate.ByValue, "posted": simulate.ByPolicy} {
				s, err := spec.Resolve(policy.Settings{"charge": value})
				if (err != nil) != spec.Needs.Optional {
					t.Errorf("%s, %s: %v", spec.Name, value, err)
				}
				if got := spec.Charging(s, auto); err == nil && got != want {
					t.Errorf("%s, %s: %v", spec.Name, value, got)
				}
			}
		}
		if _, err := spec.Resolve(policy.Settings{"charge": "all"}); err == nil {
			t.Errorf("%s charges all", spec.Name)
		}
	}
}

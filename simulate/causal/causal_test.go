package causal_test

import (
	"testing"

	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
	"revopt/simulate/policy/policytest"
)

// builtIn tests the built-in policies under some settings on random workloads.
func builtIn(t *testing.T, settings func(policy.Spec) []policy.Settings, workloads int) {
	for _, spec := range catalog.Standard() {
		for _, given := range settings(spec) {
			t.Run(spec.Label(given), func(t *testing.T) {
				t.Parallel()
				policytest.Causal(t, spec, given, workloads)
			})
		}
	}
}

// TestBuiltIn: no built-in policy sees the future.
func TestBuiltIn(t *testing.T) {
	builtIn(t, func(policy.Spec) []policy.Settings { return []policy.Settings{nil} }, 3)
}

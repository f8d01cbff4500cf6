package causal_test

import (
	"testing"

	"revopt/simulate/causal"
	"revopt/simulate/policy"
	"revopt/simulate/policy/catalog"
)

// builtIn tests the built-in policies on random workloads, which the settings of a policy share among themselves.
func builtIn(t *testing.T, settings func(policy.Spec) []policy.Settings, workloads int) {
	for _, spec := range catalog.Standard() {
		list := settings(spec)
		each := (workloads + len(list) - 1) / len(list)
		for k, given := range list {
			t.Run(spec.Label(given), func(t *testing.T) {
				t.Parallel()
				check := causal.Check{Spec: spec, Settings: given, Workloads: each, Seed: uint64(k * each)}
				err := check.Run(t.Context())
				if err != nil {
					t.Error(err)
				}
			})
		}
	}
}

// TestBuiltIn: no built-in policy sees the future.
func TestBuiltIn(t *testing.T) {
	builtIn(t, func(policy.Spec) []policy.Settings { return []policy.Settings{nil} }, 3)
}

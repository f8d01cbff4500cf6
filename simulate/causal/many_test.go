//go:build long

package causal_test

import (
	"testing"

	"revopt/simulate/policy"
)

// settings returns the defaults of a policy, and each other value of an option.
func settings(s policy.Spec) []policy.Settings {
	list := []policy.Settings{nil}
	for _, o := range s.Choices() {
		if o.Number || o.Read != nil || len(o.Values) < 2 {
			continue
		}
		for _, value := range o.Values[1:] {
			list = append(list, policy.Settings{o.Name: value})
		}
	}
	if s.Also != nil {
		list = append(list, s.Also)
	}
	return list
}

// TestBuiltInOften is TestBuiltIn on many workloads and under all options.
func TestBuiltInOften(t *testing.T) { builtIn(t, settings, 200) }

//go:build long

package policy_test

import "testing"

// TestLibraSLAGainsLong is TestLibraSLAGains with the settings of the paper.
func TestLibraSLAGainsLong(t *testing.T) {
	checkGains(t, 10, 0.005, 0.01, 0.015, 0.02, 0.025, 0.03, 0.035, 0.04)
}

package run

import (
	"testing"

	"revopt/internal/fixture"
)

// TestCrowdCost: the time of libra-sla grows with the square of the jobs if delay costs soft jobs nothing.
func TestCrowdCost(t *testing.T) {
	cost := func(policy, penalty string) float64 {
		s := fixture.Opened(t, "trace: {file: sp2-like, jobs: \"last:1000\", arrival_delay_factor: 0.5}\n"+
			"qos: {hard: high, high_urgency: 0.2, deadline: {low_mean: 2, ratio: 4, sd: 0.25}, "+
			"budget: {low_mean: 2, ratio: 4, sd: 0.25}"+penalty+"}\n")
		return (&Experiment{Workload: s.Workload, Policy: fixture.Named(t, policy)[0], Seed: 1}).crowdCost()
	}
	const penalty = ", penalty: {low_mean: 0.02, ratio: 4, sd: 0.5}"
	if x := cost("libra-sla", ""); x <= 0 {
		t.Errorf("without penalties libra-sla costs %g s more", x)
	}
	if x, y := cost("libra-sla", penalty), cost("libra", ""); x != 0 || y != 0 {
		t.Errorf("libra-sla with penalties costs %g s more, libra %g s", x, y)
	}
}

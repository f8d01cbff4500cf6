//go:build long && unix

package main

import (
	"fmt"
	"path/filepath"
	"testing"
)

func init() { sweepKills = 50 }

// TestSweepKilledElsewhere kills sweeps of a grid and of a trace.
func TestSweepKilledElsewhere(t *testing.T) {
	t.Run("grid", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "grid.yaml")
		writeText(t, file, fmt.Sprintf("scenario: ic-grid\nset: {applications.count: 150}\nvary: {applications.laxity: [0.1, 0.5]}\nseeds: %d\n", sweepKills))
		killSweep(t, file)
	})
	t.Run("trace", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "trace.yaml")
		writeText(t, file, fmt.Sprintf("scenario: sp2-like\nset: {trace.jobs: 'last:1500'}\nvary: {policies.libra+$.beta: [0.1, 0.5]}\npolicies: [easy, libra+$]\nseeds: %d\n", 2*sweepKills))
		killSweep(t, file)
	})
}

//go:build long

package simulate_test

import (
	"fmt"
	"testing"
)

// TestOraclesLong is precise to 2 %: all queues at a load of 0.9, and at 0.95 those
// on which the others are built.
func TestOraclesLong(t *testing.T) {
	const precision, jobs = 0.02, 1_000_000
	for _, o := range oracles(0.9) {
		t.Run(fmt.Sprintf("%s load 0.9", o.name), func(t *testing.T) { o.check(t, precision, jobs) })
	}
	for _, o := range oracles(0.95) {
		switch o.name {
		case "M/M/1", "M/G/1 HOL 2", "M/M/1 PS":
			t.Run(fmt.Sprintf("%s load 0.95", o.name), func(t *testing.T) { o.check(t, precision, 2*jobs) })
		}
	}
}

// TestManyRandomTraces is TestRandomTraces at length.
func TestManyRandomTraces(t *testing.T) { randomTraces(t, 200_000) }

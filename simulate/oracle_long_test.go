//go:build long

package simulate_test

import "testing"

// TestOraclesLong is precise to 6 %: all queues at a load of 0.9.
func TestOraclesLong(t *testing.T) {
	const precision, jobs = 0.06, 200_000
	for _, o := range oracles(0.9) {
		t.Run(o.name, func(t *testing.T) { o.check(t, precision, jobs) })
	}
}

// TestManyRandomTraces is TestRandomTraces at length.
func TestManyRandomTraces(t *testing.T) { randomTraces(t, 50_000) }

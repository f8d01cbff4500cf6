//go:build long

package bench

import (
	"strings"
	"testing"
)

// TestFoundWell: a plain local search in C reached these values in 30 to 90 s, on instances of version 1 of the benchmark,
// whose hashes and bounds these are.
func TestFoundWell(t *testing.T) {
	exact := first(t, "exact-1.0", "f2d37500799cd154e549084b6bc7cbe75f9491a603d2ea55fb0af8a4d6c02b20", 1.146)
	if f := searched(t, exact, 600000); f.Value > 1.435 {
		t.Errorf("exact-1.0: mean slowdown %g", f.Value)
	}
	tight := first(t, "tight-1.0", "7cbfa2c88258e4d9a0712b9c8940c6f674acea64e69c44c1919349c0e940c38d", 100427)
	if f := searched(t, tight, 8000000); f.Value < 92136 {
		t.Errorf("tight-1.0: %g $", f.Value)
	}
}

// first returns an instance of version 1.
func first(t *testing.T, family, sum string, limit float64) *Instance {
	in := find(Instances(), family+"-1")
	old := *in.Family
	old.Scenario = strings.Replace(old.Scenario, "estimates: exact}\nload: 1.0",
		"estimates: exact, arrival_delay_factor: 0.9256968225974274}", 1)
	in.Family, in.Bounds = &old, map[string]float64{UnpreemptedBound: limit}
	if err := in.Open(t.Context(), nil, ""); err != nil {
		t.Fatal(err)
	}
	if in.sum() != sum {
		t.Fatalf("%s: other jobs than in version 1", family)
	}
	return in
}

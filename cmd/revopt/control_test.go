package main

import (
	"encoding/json"
	"math"
	"path/filepath"
	"strings"
	"testing"
)

const exponential = `server: {parallel: 1, residual: pooled}
load: 1.2
classes:
  - {name: urgent, share: 0.3, length: {dist: exponential, mean: 1h}, price: 90, decay: 0.004}
  - {name: batch, share: 0.7, length: {dist: exponential, mean: 1h}, price: 30, decay: 0.001}
`

// TestControl: the rules that solve --control finds earn in a simulation what it
// says, and more than static admission.
func TestControl(t *testing.T) {
	file := filepath.Join(t.TempDir(), "exponential.yaml")
	writeText(t, file, exponential)
	read := func(v any, args ...string) {
		t.Helper()
		if err := json.Unmarshal([]byte(must(t, append(args, file, "--json", "--quiet")...)), v); err != nil {
			t.Fatal(err)
		}
	}
	for _, kind := range []string{"state", "threshold"} {
		var solved struct {
			Control struct {
				Revenue float64 `json:"revenue_per_second"`
				Static  float64 `json:"static_revenue_per_second"`
			}
		}
		read(&solved, "solve", "--control", kind)
		var simulated struct {
			Policies []struct {
				Admission struct{ Name string }
				Revenue   struct {
					Mean float64
					Half float64 `json:"half_width"`
				} `json:"revenue_per_second"`
			}
		}
		read(&simulated, "simulate", "--admission", kind, "--jobs", "20000", "--level", "0.999")
		got, want := simulated.Policies[0].Revenue, solved.Control
		if math.Abs(got.Mean-want.Revenue) > got.Half {
			t.Errorf("%s: simulation earns %g ± %g $/s, want %g", kind, got.Mean, got.Half, want.Revenue)
		}
		if !(want.Revenue > 1.1*want.Static) {
			t.Errorf("%s: %g $/s, want over 1.1 times the %g of static admission", kind, want.Revenue, want.Static)
		}
	}
}

// TestControlRefused: where there is no small state that is said, as a fault of
// the input.
func TestControlRefused(t *testing.T) {
	for _, args := range [][]string{
		{"solve", "nist-cluster", "--control", "state"},
		{"simulate", "nist-cluster", "--admission", "state"},
		{"validate", "sp2-like", "--admission", "state", "--policy", "easy"},
	} {
		if o := try(args...); o.code != exitUsage || !strings.Contains(o.stderr, "no state-dependent optimum") {
			t.Errorf("%v: exit %d, %q", args, o.code, o.stderr)
		}
	}
}

// TestThresholdSearched: where there is no small state, thresholds found by search
// beat the best static admission, beyond chance, in overload.
func TestThresholdSearched(t *testing.T) {
	var simulated struct {
		Differences []struct {
			Revenue struct {
				Mean float64
				Half float64 `json:"half_width"`
			} `json:"revenue_per_second"`
		}
	}
	text := must(t, "simulate", "nist-cluster", "--load", "1.5", "--admission", "simulated,threshold", "--jobs", "5000", "--json", "--quiet")
	if err := json.Unmarshal([]byte(text), &simulated); err != nil {
		t.Fatal(err)
	}
	if d := simulated.Differences[0].Revenue; !(d.Mean > d.Half) || !(d.Half > 0) {
		t.Errorf("thresholds earn %g ± %g $/s more than static admission, want more beyond chance", d.Mean, d.Half)
	}
}

//go:build long

package cli

import (
	"encoding/json"
	"testing"
)

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
	text := must(t, shellWords("simulate nist-cluster --load 1.5 --admission simulated,threshold --jobs 5000 --json --quiet")...)
	if err := json.Unmarshal([]byte(text), &simulated); err != nil {
		t.Fatal(err)
	}
	if d := simulated.Differences[0].Revenue; !(d.Mean > d.Half) || !(d.Half > 0) {
		t.Errorf("thresholds earn %g ± %g $/s more than static admission, want more beyond chance", d.Mean, d.Half)
	}
}

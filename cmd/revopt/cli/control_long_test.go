//go:build long

package cli

import "testing"

// TestThresholdSearched: where there is no small state, thresholds that a search finds deliver more than the best static
// admission that it finds, beyond chance, in overload.
func TestThresholdSearched(t *testing.T) {
	ends := func(over string) (low, high float64) {
		var found reply
		decode(t, &found, "tune", "nist-cluster", "--load", "1.5", "--over", over, "--jobs", "5000", "--json")
		for _, row := range found.Tables["policies"] {
			if row["admission"] == found.Values["admission"] {
				return row["value_low"].(float64), row["value_high"].(float64)
			}
		}
		t.Fatalf("--over %s: no row of %v in %v", over, found.Values["admission"], found.Tables["policies"])
		return 0, 0
	}
	least, _ := ends("thresholds")
	if _, most := ends("admission"); !(least > most) {
		t.Errorf("thresholds deliver %g $/h or more, static admission %g $/h or less", least, most)
	}
}

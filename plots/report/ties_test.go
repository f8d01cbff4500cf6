package report

import (
	"math"
	"strings"
	"testing"

	"revopt/plots/wording"
)

// TestTies checks what is said of policies that do as well as the best.
func TestTies(t *testing.T) {
	r := sample("a", "b", "c", "d")
	r.Policies[1].Validated.Behind = estimate(0, 0)
	if got := r.Closest(); !strings.Contains(got, "; so does b; the next is c with 80.0 ± 1.2 %, 10.0 ± 2.0 points less (paired).") {
		t.Error(got)
	}
	r.Policies[2].Validated.Behind = estimate(1e-16, 1e-16) // rounding
	if got := r.Closest(); !strings.Contains(got, "; so do 2 others; the next is d with") {
		t.Error(got)
	}
	r.Policies[3].Validated.Behind = estimate(0, 0)
	if got := r.Closest(); !strings.HasSuffix(got, "; so do 3 others.") {
		t.Error(got)
	}
	r = sample("a", "b", "c")
	r.Replications = 1 // intervals are infinite
	r.Policies[1].Validated.Behind = estimate(0, math.Inf(1))
	r.Policies[2].Validated.Behind = estimate(0.1, math.Inf(1))
	if got := r.Closest(); !strings.HasSuffix(got, "; so does b; the next is c with 80.0 ± 1.2 %, 10.0 points less.") {
		t.Error(got)
	}
	if got := strings.Join(r.Head(), "\n"); strings.Contains(got, "±") {
		t.Errorf("%q speaks of intervals, which one replication does not have", got)
	}
}

// TestPoints checks that only what is nothing is shown as nothing.
func TestPoints(t *testing.T) {
	for _, c := range []struct {
		mean, half float64
		want       string
	}{
		{0, 0, "0.0 points"}, {1e-17, 0, "0.0 points"}, {1e-7, 0, "< 0.01 points"}, {6e-5, 4e-5, "0.01 points"},
		{0.1, 0, "10.0 points"}, {0.1, 0.002, "10.00 ± 0.20 points"},
	} {
		if got := wording.Points(interval(c.mean, c.half)); got != c.want {
			t.Errorf("%g ± %g: %q, want %q", c.mean, c.half, got, c.want)
		}
	}
}

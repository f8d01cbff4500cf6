package report

import (
	"math"
	"strings"
	"testing"

	"revopt/simulate/study"
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
		if got := points(interval(c.mean, c.half)); got != c.want {
			t.Errorf("%g ± %g: %q, want %q", c.mean, c.half, got, c.want)
		}
	}
}

// TestNothingToEarn checks the words where no bound is above zero: the best is
// the policy that loses least.
func TestNothingToEarn(t *testing.T) {
	r := sample("a", "b")
	for i := range r.Policies {
		r.Policies[i].Validated.Efficiency.Mean = study.Number(math.NaN())
		r.Policies[i].Validated.Money = estimate(float64(-50+50*i), 0)
	}
	for i := range r.Validated.Bounds {
		r.Validated.Bounds[i].Money = interval(0, 0)
	}
	text := unbroken(table(r))
	if !strings.Contains(text, "the best policy, b, delivers 0 $; the model predicts 0 $ (static optimum (printed)), right.") ||
		strings.Contains(text, "Efficiencies are shares") {
		t.Error(text)
	}
}

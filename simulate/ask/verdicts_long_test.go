//go:build long

package ask

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/analytic"
)

// randomClasses returns a scenario of two to four classes.
func randomClasses(rnd *rand.Rand, servers int, widths, largest bool) string {
	var b strings.Builder
	fmt.Fprintf(&b, "server: {nodes: %d}\nload: %.3g\nclasses:\n", servers, 0.5+2.5*rnd.Float64())
	n := 2 + rnd.IntN(3)
	for i := range n {
		length := 50 + 200*rnd.Float64()
		price := 1 + 20*rnd.Float64()
		width := 1
		if widths {
			width = 1 + rnd.IntN(servers)
		}
		fmt.Fprintf(&b, "  - {name: c%d, share: %.17g, width: %d, length: {mean: %.4g, dist: exponential}, price: %.4g, decay: %.4g",
			i, 1/float64(n), width, length, price, price/length*rnd.Float64()/2)
		if largest {
			fmt.Fprintf(&b, ", max_penalty: %.3g", price*rnd.Float64())
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// TestVerdicts holds the check of eight random scenarios against 40 replications of another seed. A false alarm is advice
// that is refused though nothing is better in these; a miss is advice that stands though something is better beyond
// their intervals, by over 1 %. Of the first 100 scenarios 35 were refused, without a false alarm or a miss.
func TestVerdicts(t *testing.T) {
	rnd := rand.New(rand.NewPCG(59, 2))
	var refused, alarms, misses, small int
	for k := range 8 {
		text := randomClasses(rnd, 1+k%2*(3+rnd.IntN(30)), k/2%2 == 1, k/4%2 == 1)
		s := fixture.Opened(t, text)
		answer, got := checked(t, s, 0, solveOptions{})
		truth := long(t, checker{s, 2, 0}, answer)
		better := truth.Best.Gain.Mean
		share := better / max(truth.Admission.Mean, truth.Best.Value.Mean, 1e-9)
		switch {
		case !got.Stands:
			refused++
			if better <= 0 {
				alarms++
				t.Logf("false alarm: %s %+v\n%s", got.Best.Does, got.Best, text)
			}
		case !truth.Stands && share > 0.01:
			misses++
			t.Logf("miss: %s, %.2f %% better\n%s", truth.Best.Does, 100*share, text)
		case !truth.Stands:
			small++
		}
	}
	t.Logf("%d of 8 refused; %d false alarms, %d misses over 1 %%, %d below", refused, alarms, misses, small)
	if alarms > 1 || misses > 1 {
		t.Errorf("%d false alarms, %d misses", alarms, misses)
	}
}

// long compares advice in 40 replications, all of which each rival runs.
func long(t *testing.T, c checker, answer *solved) *verdict {
	t.Helper()
	ctx := t.Context()
	a, err := analytic.Analyze(ctx, c.Subject, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	all, err := c.experiment(ctx)
	if err != nil {
		t.Fatal(err)
	}
	advised, err := c.advised(ctx, a, answer, *all)
	if err != nil {
		t.Fatal(err)
	}
	list, err := alternatives(ctx, a, answer, all, advised)
	if err != nil {
		t.Fatal(err)
	}
	k := &verdict{Replications: 40, Endless: all.Endless() && !advised.Endless()}
	advice := &tested{experiment: advised}
	if err := c.extend(ctx, 40, append(slices.Clone(list), &rival{tested: advice})); err != nil {
		t.Fatal(err)
	}
	if err := c.compare(ctx, k, advice, list); err != nil {
		t.Fatal(err)
	}
	return k
}

package analytic

import (
	"fmt"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
)

// TestNeedsExact compares with M/M/1 in closed form: E[(W-t)^+] = rho/(mu-lambda) exp(-(mu-lambda) t).
func TestNeedsExact(t *testing.T) {
	const mean, grace = 600, 300
	for _, decay := range []float64{0, 1e-5, 3e-5, 6e-5, 1e-4, 1e-3} {
		want := false
		for _, load := range []float64{0.5 * 0.5, 0.5} { // at half of the jobs and at all
			slack := (1 - load) / mean
			exact := 1 - decay*load/slack*math.Exp(-slack*grace)
			byMean := 1 - decay*math.Max(0, load/slack-grace)
			want = want || math.Abs(byMean-exact) > 0.02*exact
		}
		for residual, wanted := range map[string]bool{"pooled": want, "multiserver": want, "printed": false} {
			s := fixture.Opened(t, fmt.Sprintf("server: {parallel: 1, residual: %s}\nload: 0.5\nclasses:\n"+
				"  - {name: a, length: {mean: 600, dist: exponential}, price: 1, decay: %g, grace: 300, max_penalty: none}\n",
				residual, decay))
			a, err := Analyze(t.Context(), s, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			got, err := a.NeedsExact(a.System.Residual, []float64{0.5})
			if err != nil || got != wanted {
				t.Errorf("decay %g, %s: %t, %v, want %t", decay, residual, got, err, wanted)
			}
		}
	}
}

// TestBestIsExact checks that the best admission is that of the exact revenue where a grace matters: a search on a grid
// finds no better one.
func TestBestIsExact(t *testing.T) {
	s := fixture.Opened(t, `server: {parallel: 1}
load: 0.8
classes:
  - {name: a, share: 0.5, length: {mean: 600, dist: exponential}, price: 1, decay: 0.001, grace: 1000, max_penalty: none}
  - {name: b, share: 0.5, length: {mean: 600, dist: exponential}, price: 1, decay: 0.002, grace: 600, max_penalty: none}
`)
	a, err := Analyze(t.Context(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	best, err := a.Best(t.Context(), a.System.Residual)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := model.NewExact(a.System)
	if err != nil {
		t.Fatal(err)
	}
	found, _ := exact.Revenue(best.Admit())
	for i := range 21 {
		for j := range 21 {
			q := []float64{float64(i) / 20, float64(j) / 20}
			if r, _ := exact.Revenue(q); r > found*(1+1e-6) {
				t.Errorf("%v earns %g, the best %v %g", q, r, best.Admit(), found)
			}
		}
	}
}

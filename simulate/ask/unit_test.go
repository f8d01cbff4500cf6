package ask

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/internal/text"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/run"
	"revopt/simulate/subject"
)

// drawnClasses is a scenario with random classes, of one unit or of several, around full load.
func drawnClasses(rnd *rand.Rand) string {
	units := 4 + rnd.IntN(40)
	residual := []string{"pooled", "multiserver", "printed"}[rnd.IntN(3)]
	wide := rnd.IntN(2) == 1
	var b strings.Builder
	fmt.Fprintf(&b, "name: drawn\nserver: {nodes: %d, residual: %s}\nload: %.3g\nsimulation: {jobs: 8000, replications: 10}\n"+
		"policies: [hol]\nclasses:\n", units, residual, 0.3+1.2*rnd.Float64())
	n := 1 + rnd.IntN(4)
	for i := range n {
		width := 1
		if wide {
			width = 1 + rnd.IntN(max(units/4, 1))
		}
		dist := []string{"exponential", "deterministic"}[rnd.IntN(2)]
		fmt.Fprintf(&b, "  - {name: c%d, share: %.17g, length: {dist: %s, mean: %d}, width: %d, price: %.4g, decay: {per_hour: %d%%}",
			i, 1/float64(n), dist, 600+rnd.IntN(7200), width, 10*float64(width)*(0.2+rnd.Float64()), 1+rnd.IntN(40))
		if rnd.IntN(3) == 0 {
			b.WriteString(", max_penalty: 0")
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// unitPrice solves a scenario and returns the price of one more unit, unknown if the answer has none, and its admission.
func unitPrice(t *testing.T, s *subject.Subject) (price answer.Value, admit []float64) {
	t.Helper()
	found, k := checked(t, s, 2, solveOptions{Auto: true})
	model, err := analytic.Analyze(t.Context(), s, 1, 0)
	if err != nil || k == nil {
		t.Fatal(k, err)
	}
	found.Checked, found.model = k, model
	for _, v := range found.values() {
		if v.Name == "next_unit" {
			return v.Value, found.Admit()
		}
	}
	return price, found.Admit()
}

// unitGain is what one more unit gains by whatif under an admission, on random numbers of its own.
func unitGain(t *testing.T, s *subject.Subject, admit []float64) answer.Value {
	t.Helper()
	lab, err := run.NewLab(t.Context(), s.Document, run.Options{Seed: 100})
	if err != nil {
		t.Fatal(err)
	}
	list := strings.Join(text.Each(admit, func(q float64) string { return fmt.Sprint(q) }), ",")
	return changeOf(t, whatIfOn(t, lab, Request{Seed: 100, Admission: []string{list}}, "nodes=+1"), "nodes=+1", "gain")
}

// drawnSigns says of how many of n drawn scenarios the price of one more unit is printed. It has the sign of the what-if.
func drawnSigns(t *testing.T, seed uint64, n int) (printed int) {
	rnd := rand.New(rand.NewPCG(seed, 56))
	for range n {
		written := drawnClasses(rnd)
		s := fixture.Opened(t, written)
		price, admit := unitPrice(t, s)
		if !price.Known() {
			continue
		}
		printed++
		if gain := unitGain(t, s, admit); !(price.Number > 0 && gain.Number > 0) {
			t.Errorf("the price of one more unit is %g $/h, whatif gains %+v:\n%s", price.Number, gain, written)
		}
	}
	return printed
}

// TestUnitSigns: the price of one more unit has the sign of its what-if, or is absent.
func TestUnitSigns(t *testing.T) {
	if printed := drawnSigns(t, 1, 3); printed == 0 {
		t.Error("no scenario has a price")
	}
}

// TestUnitOfWideJobs: one unit more than ten jobs of 4 units need changes nothing, and so has no price.
func TestUnitOfWideJobs(t *testing.T) {
	for units, want := range map[int]bool{40: false, 43: true} {
		s := fixture.Opened(t, fmt.Sprintf("server: {nodes: %d}\nload: 0.9\npolicies: [hol]\nclasses:\n  - {name: a, "+
			"share: 1, length: {dist: exponential, mean: 3600}, width: 4, price: 10, decay: {per_hour: 20%%}}\n", units))
		if price, _ := unitPrice(t, s); price.Known() != want {
			t.Errorf("%d units: a price %+v", units, price)
		}
	}
}

package paper

import (
	"slices"
	"testing"

	"revopt/plots"
)

// TestPricing checks the figures of Yeo and Buyya (2007) on generated jobs.
func TestPricing(t *testing.T) {
	checkPricing(t, Options{Quick: true, Seed: 1, Shared: new(Shared)})
}

func checkPricing(t *testing.T, o Options) {
	t.Run("workload", func(t *testing.T) { checkWorkload(t, o) })
	t.Run("factor", func(t *testing.T) { checkFactor(t, o) })
	t.Run("factor and workload", func(t *testing.T) { checkQuoted(t, o) })
	t.Run("factor and urgency", func(t *testing.T) { checkUrgency(t, o) })
	t.Run("factor and estimates", func(t *testing.T) { checkEstimates(t, o) })
}

// pair returns both parts of a figure.
func pair(t *testing.T, id string, o Options) (a, b plots.Figure) {
	t.Helper()
	return drawn(t, id+"a", o).Picture.(plots.Figure), drawn(t, id+"b", o).Picture.(plots.Figure)
}

// rises fails unless a series rises from point to point, give or take slack.
func rises(t *testing.T, what string, y []float64, slack float64) {
	t.Helper()
	for i := 1; i < len(y); i++ {
		if y[i] < y[i-1]-slack {
			t.Errorf("%s does not rise: %.3g", what, y)
			return
		}
	}
}

// above fails unless one series exceeds another where asked.
func above(t *testing.T, high, low plots.Series, where func(x float64) bool) {
	t.Helper()
	for i, x := range high.X {
		if where(x) && high.Y[i] <= low.Y[i] {
			t.Errorf("at %g: %s has %g, %s %g", x, high.Name, high.Y[i], low.Name, low.Y[i])
		}
	}
}

func everywhere(float64) bool { return true }

func checkWorkload(t *testing.T, o Options) {
	satisfied, profit := pair(t, "pricing-02", o)
	for _, fig := range []plots.Figure{satisfied, profit} {
		for _, s := range fig.Series {
			rises(t, fig.ID+" "+s.Name, s.Y, 0.01)
		}
	}
	above(t, named(t, satisfied, "Libra"), named(t, satisfied, "Libra+$"), everywhere)
	// Backfilling is ahead of Libra under the heaviest workload, as in the paper.
	heaviest, lighter := func(x float64) bool { return x <= 0.02 }, func(x float64) bool { return x >= 0.1 }
	above(t, named(t, satisfied, "EDF-BF"), named(t, satisfied, "Libra"), heaviest)
	for _, name := range []string{"FCFS-BF", "EDF-BF"} {
		above(t, named(t, satisfied, "Libra"), named(t, satisfied, name), lighter)
		above(t, named(t, satisfied, "Libra+$"), named(t, satisfied, name), func(x float64) bool { return x >= 0.75 })
	}
	above(t, named(t, satisfied, "SJF-BF"), named(t, satisfied, "Libra"), func(x float64) bool { return x <= 0.1 })
	above(t, named(t, satisfied, "EDF-BF"), named(t, satisfied, "Libra+$"), func(x float64) bool { return x <= 0.25 })
	for _, name := range []string{"FCFS-BF", "SJF-BF", "EDF-BF", "Libra"} {
		above(t, named(t, profit, "Libra+$"), named(t, profit, name), lighter)
	}
	for i, y := range named(t, profit, "EDF-BF").Y {
		near(t, "EDF-BF against FCFS-BF", y, named(t, profit, "FCFS-BF").Y[i], 0.06)
	}
}

func checkFactor(t *testing.T, o Options) {
	satisfied, profit := pair(t, "pricing-03", o)
	s := named(t, satisfied, "Libra+$")
	end := len(s.Y) - 1
	// The paper has it fall all along: it does from β = 0.5 on.
	falling := slices.Clone(s.Y[slices.Index(s.X, 0.5):])
	slices.Reverse(falling)
	rises(t, "satisfaction from β = 1 back to 0.5", falling, 0)
	if edf, fcfs := named(t, satisfied, "EDF-BF").Y[end], named(t, satisfied, "FCFS-BF").Y[end]; s.Y[end] > edf || s.Y[end] < fcfs {
		t.Errorf("β = 1: %g, EDF-BF %g, FCFS-BF %g", s.Y[end], edf, fcfs)
	}
	p := named(t, profit, "Libra+$")
	top, most := peak(p)
	if top < 0.4 || top > 0.8 || p.Y[end] > most-0.02 {
		t.Errorf("profit peaks at β = %g with %g, and is %g at 1", top, most, p.Y[end])
	}
	above(t, p, named(t, profit, "Libra"), everywhere)
}

// checkQuoted checks the percentages that the paper quotes of figure 4(b).
func checkQuoted(t *testing.T, o Options) {
	satisfied, profit := pair(t, "pricing-04", o)
	var gains []float64
	for _, q := range []struct {
		beta     string
		from, to float64
	}{{"Libra+$, β = 0.1", 0.23, 0.40}, {"Libra+$, β = 0.5", 0.32, 0.57}, {"Libra+$, β = 1", 0.31, 0.44}} {
		s := named(t, profit, q.beta)
		near(t, q.beta+", delay factor 0.25", at(t, s, 0.25), q.from, 0.05)
		near(t, q.beta+", delay factor 1", at(t, s, 1), q.to, 0.05)
		gains = append(gains, at(t, s, 1)-at(t, s, 0.25))
		above(t, s, named(t, profit, "Libra"), everywhere)
		above(t, named(t, satisfied, "Libra"), named(t, satisfied, q.beta), everywhere)
		rises(t, q.beta, s.Y, 0.01)
	}
	if gains[1] < gains[0] || gains[2] > gains[0] {
		t.Errorf("profit gains %.3f with β = 0.1, 0.5, 1: want most with 0.5 and least with 1", gains)
	}
	// A higher β keeps the QoS of fewer jobs, but not under a high workload.
	low, high := named(t, satisfied, "Libra+$, β = 0.1"), named(t, satisfied, "Libra+$, β = 1")
	above(t, low, high, func(x float64) bool { return x >= 0.5 })
	above(t, high, low, func(x float64) bool { return x == 0.1 })
	above(t, low, high, func(x float64) bool { return x <= 0.02 })
}

func checkUrgency(t *testing.T, o Options) {
	satisfied, profit := pair(t, "pricing-05", o)
	s := named(t, satisfied, "Libra+$, β = 1")
	rises(t, "satisfaction with β = 1", s.Y, 0)
	near(t, "β = 1 when all are urgent", at(t, s, 1), at(t, named(t, satisfied, "Libra+$, β = 0.1"), 1), 0.03)
	middle, high := named(t, profit, "Libra+$, β = 0.5"), named(t, profit, "Libra+$, β = 1")
	above(t, high, middle, func(x float64) bool { return x >= 0.5 })
	above(t, middle, high, func(x float64) bool { return x <= 0.2 })
}

func checkEstimates(t *testing.T, o Options) {
	satisfied, profit := pair(t, "pricing-06", o)
	low, high := named(t, satisfied, "Libra+$, β = 0.1"), named(t, satisfied, "Libra+$, β = 1")
	above(t, low, high, func(x float64) bool { return x == 0 })
	above(t, high, low, func(x float64) bool { return x >= 0.2 && x <= 0.5 })
	inaccurate := func(x float64) bool { return x > 0 }
	above(t, low, named(t, satisfied, "Libra"), inaccurate)
	factors := []string{"Libra", "Libra+$, β = 0.1", "Libra+$, β = 0.3", "Libra+$, β = 0.5", "Libra+$, β = 1"}
	for i := range factors[1:] {
		above(t, named(t, profit, factors[i+1]), named(t, profit, factors[i]), inaccurate)
	}
}

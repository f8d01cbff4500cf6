//go:build long

package paper

import (
	"math"
	"os"
	"slices"
	"testing"

	"revopt/internal/text"
	"revopt/plots"
)

// TestSectionVI draws the figures of section VI of the NIST paper, all from one
// experiment, and decides the claims on them.
func TestSectionVI(t *testing.T) {
	o := Options{Quick: true, Workers: 2, Seed: 1, Shared: new(Shared)}
	for _, id := range []string{"nist-16", "nist-17", "nist-18", "nist-19"} {
		drawn(t, id, o)
	}
	says(t, "nist-phi", drawn(t, "nist-phi", o), "no steady state")
	for _, p := range drawn(t, "nist-gain", o).Picture.(plots.Sheet).Panels {
		s := p.Series[0]
		for i, x := range s.X {
			if half := s.High[i] - s.Y[i]; s.Y[i] < -half {
				t.Errorf("%s, load %g: gain %g ± %g", p.Title, x, s.Y[i], half)
			}
		}
	}
	list := text.Where(claimsOn("nist", "simulations"), func(c claim) bool { return c.on == "nist-cluster" })
	decide(t, o, list, map[string]outcome{
		"nist-16-65-300": fails, "nist-17-5000": fails, "nist-19-optimum": fails, "nist-s6-90": fails,
		"nist-19-all-falls": fails, "nist-phi-value": fails,
	})
}

// TestVariableWidths: the tuned admission earns as much as the better of the others.
func TestVariableWidths(t *testing.T) {
	o := Options{Quick: true, Seed: 1, Shared: new(Shared)}
	fig := drawn(t, "nist-widths", o).Picture.(plots.Sheet).Panels[0]
	all, formula, tuned := seriesOf(t, fig, admitAll), seriesOf(t, fig, optimum), seriesOf(t, fig, tunedOnce)
	for i, x := range all.X {
		if best := math.Max(all.Y[i], formula.Y[i]); tuned.Y[i] < 0.99*best {
			t.Errorf("load %g: tuned earns %g, the better of the others %g", x, tuned.Y[i], best)
		}
	}
	notFailing(t, o, "nist-widths-all", "nist-widths-lower")
}

// notFailing fails where one of the named claims does.
func notFailing(t *testing.T, o Options, names ...string) {
	t.Helper()
	e := newEvidence(t.Context(), o, defaultReading)
	for _, c := range allClaims() {
		if !slices.Contains(names, c.id) {
			continue
		}
		if v, err := e.decide(c); err != nil || v.outcome == fails {
			t.Errorf("%s %v: %s, %v", c.id, v.outcome, v.got, err)
		}
	}
}

// TestStandIn: no claim of the SLA paper that holds on the trace fails in the figures
// that are drawn without it, which say that their jobs are generated.
func TestStandIn(t *testing.T) {
	m := readMatrix(t, "sla")
	var names []string
	for i, c := range m.claims {
		if m.verdicts[i][byDefault].outcome == holds {
			names = append(names, c.id)
		}
	}
	o := Options{Seed: 1, Workers: 2, Shared: new(Shared)}
	notFailing(t, o, names...)
	says(t, "sla-02b", drawn(t, "sla-02b", o), "in place of the trace")
}

// TestOnTheTrace decides claims of both papers on the SP2 with fewer replications than make readings: no verdict is the
// opposite of that of docs/readings.
func TestOnTheTrace(t *testing.T) {
	if _, err := os.Stat(sp2File); err != nil {
		t.Skipf("the SP2 trace is not at %s", sp2File)
	}
	for id, quick := range map[string]bool{"pricing-03a": true, "pricing-03b": true, "sla-02a": false, "sla-02b": false} {
		m := readMatrix(t, must(Find(id)).Paper())
		o := Options{Quick: quick, Replications: 10, Seed: 1, Workers: 2, Trace: sp2File, Shared: &common}
		e := newEvidence(t.Context(), o, defaultReading)
		for i, c := range m.claims {
			if c.figure != id {
				continue
			}
			was := m.verdicts[i][byDefault]
			v, err := e.decide(c)
			if err != nil || v.outcome != was.outcome && v.outcome != undetermined && was.outcome != undetermined {
				t.Errorf("%s: %v, docs/readings has %v; %v", c.id, v, was, err)
			}
		}
	}
}

func TestBoundNIST(t *testing.T) {
	res := drawn(t, "bound-nist", Options{Quick: true, Replications: 2})
	panels := res.Picture.(plots.Sheet).Panels
	for _, fig := range panels {
		underCeiling(t, fig, 0.95)
	}
	fig := panels[0]
	// Admission pays under overload, and tuning does not lose to the formula.
	for _, policy := range []string{"HOL", "FCFS"} {
		all, tuned := seriesOf(t, fig, policy+", admit all"), seriesOf(t, fig, policy+", tuned")
		formula := seriesOf(t, fig, policy+", optimum of the model")
		if at(t, tuned, 5) < 1.5*at(t, all, 5) || at(t, tuned, 5) < 0.98*at(t, formula, 5) {
			t.Errorf("%s at load 5: tuned %g, admit all %g, formula %g", policy, at(t, tuned, 5), at(t, all, 5), at(t, formula, 5))
		}
	}
	model := seriesOf(t, fig, "Optimum of the model")
	if !model.Bound || at(t, model, 5) <= at(t, model, 1) {
		t.Errorf("model bound %+v", model)
	}
	says(t, "bound-nist", res, "5: ", "load 1", "clairvoyant")
}

func TestBoundSP2(t *testing.T) {
	res := drawn(t, "bound-sp2", Options{Quick: true, Replications: 2})
	fig := res.Picture.(plots.Figure)
	labeledEnds(t, fig)
	underCeiling(t, fig, 0.85)
	// A policy that may return whole jobs or partial results can do no worse.
	whole, both := seriesOf(t, fig, "Bound for whole jobs").Y, fig.Regions[0].Y
	for i := range whole {
		if both[i] < whole[i]*(1-0.006) {
			t.Errorf("bound %g for both kinds, %g for whole jobs alone", both[i], whole[i])
		}
		if i > 0 && (whole[i] < whole[i-1]*(1-0.005) || both[i] < both[i-1]*(1-0.005)) { // but for the gap
			t.Errorf("with more time between jobs the bounds fall from %g to %g", whole[i-1:i+1], both[i-1:i+1])
		}
	}
	says(t, "bound-sp2", res, "whole jobs, closest", "whole jobs or partial results, closest", "0.1: ", "in light load")
}

// TestImprecise draws the figures of Kim, Buyya and Kim and decides the claims on
// them; that of acceptance by the mandatory-first schemes fails.
func TestImprecise(t *testing.T) {
	o := Options{Quick: true, Seed: 1, Replications: 3, Shared: new(Shared)}
	drawn(t, "ic-05b", o)
	decide(t, o, claimsOn("ic", "simulations"), map[string]outcome{
		"ic-05a-flexible": fails, "ic-05b-more": undetermined, "ic-06-more": undetermined,
	})
}

package cli

import (
	"context"
	"math"
	"strings"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/simulate/metric"
	lab "revopt/simulate/run"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// promised is one server with a grace, a floor and a promise.
const promised = `server: {parallel: 1, residual: pooled}
load: 0.9
simulation: {jobs: 20000, replications: 10}
classes:
  - {name: urgent, share: 0.4, length: {mean: 10m, sd: 4m, dist: gamma}, price: 12, decay: 0.006, grace: 5m, max_penalty: 6, expire: never, slo: {within: 20m, level: 0.95}}
  - {name: batch, share: 0.6, length: {mean: 15m, sd: 5m}, price: 5, decay: 0.001, grace: 15m, max_penalty: 1, expire: never}
`

// simulatedRevenue returns the revenue per second of an admission under hol.
func simulatedRevenue(t *testing.T, sc *scenario.Scenario, admit []float64) metric.Interval {
	t.Helper()
	w, err := workload.NewClasses(sc.Classes, sc.Nodes, lengthOf(sc))
	if err != nil {
		t.Fatal(err)
	}
	hol, err := subject.NewPolicy(nil, "hol", nil)
	if err != nil {
		t.Fatal(err)
	}
	e := &lab.Experiment{Workload: w, Policy: hol, Admission: lab.Gate{Admit: admit}, Seed: 9}
	f := lab.Frame{Level: 0.999}
	return f.Estimate(replicated(t, e, sc.Simulation.Replications).Series(lab.All, lab.ColumnRevenue)).Times(1.0 / 3600)
}

func lengthOf(sc *scenario.Scenario) workload.Length {
	s := sc.Simulation
	return workload.Length{Jobs: int64(s.Jobs), Horizon: s.Horizon, WarmupFraction: s.Warmup.Fraction,
		WarmupSeconds: s.Warmup.Seconds}
}

func parse(t *testing.T, text string) *scenario.Scenario {
	t.Helper()
	doc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	sc, err := doc.Scenario(nil)
	if err != nil {
		t.Fatal(err)
	}
	return sc
}

// TestExactAgainstSimulator: the exact revenue is what the event simulator finds.
func TestExactAgainstSimulator(t *testing.T) {
	sc := parse(t, promised)
	sys := sc.System()
	r, err := optimize.Exact(context.Background(), sys, optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := model.NewExact(sys)
	if err != nil {
		t.Fatal(err)
	}
	for _, admit := range [][]float64{{1, 1}, {0.8, 0.9}, r.Admit} {
		want, _ := e.Revenue(admit)
		if got := simulatedRevenue(t, sc, admit); !got.Contains(want) {
			t.Errorf("admit %v: exact %g, simulated %g ± %.2g", admit, want, got.Mean, got.HalfWidth)
		}
	}
}

// TestLiteralGrace keeps the numbers of docs/theory.md: what (28), which
// subtracts the grace from T0, costs those who follow it.
func TestLiteralGrace(t *testing.T) {
	text := readText(t, "../../../docs/theory.md")
	var sc *scenario.Scenario
	for _, b := range blocks(text) {
		if strings.HasPrefix(b.text, "# literal.yaml") {
			sc = parse(t, b.text)
		}
	}
	sys := sc.System()
	literal, err := optimize.Solve(context.Background(), sys, optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	best, err := optimize.Exact(context.Background(), sys, optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	e, err := model.NewExact(sys)
	if err != nil {
		t.Fatal(err)
	}
	really, _ := e.Revenue(literal.Admit)
	for _, x := range []struct{ got, want float64 }{{literal.Revenue, 31.32}, {really, 4.22}, {best.Revenue, 21.47}} {
		if math.Abs(3600*x.got-x.want) > 0.006 {
			t.Errorf("got %.3f $/h, the document says %.2f", 3600*x.got, x.want)
		}
	}
	if got := simulatedRevenue(t, sc, literal.Admit); !got.Contains(really) {
		t.Errorf("exact %g $/h, simulated %g ± %.2g", 3600*really, 3600*got.Mean, 3600*got.HalfWidth)
	}
}

// replicated runs replications of an experiment.
func replicated(t *testing.T, e *lab.Experiment, n int) *lab.Runs {
	t.Helper()
	samples, err := metric.Replicate(t.Context(), 0, n, 0, func(ctx context.Context, k int) (lab.Sample, error) {
		return e.Run(ctx, k)
	})
	if err != nil {
		t.Fatal(err)
	}
	return lab.NewRuns(e, samples)
}

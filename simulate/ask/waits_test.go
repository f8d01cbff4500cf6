package ask

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/warn"
	"revopt/simulate/workload"
)

// waitCase is a queue whose computed and simulated waits are compared.
type waitCase struct {
	name    string
	n, load float64
	lengths []model.Distribution // of equal parts of the load, the last most urgent
	within  float64              // of P(W > t), with several servers
}

func (c waitCase) system() model.System {
	sys := model.System{Parallel: c.n, Residual: model.Pooled, Phi: 1}
	for i, d := range c.lengths {
		sys.Classes = append(sys.Classes, model.Class{
			Rate: c.load / float64(len(c.lengths)) * c.n / d.Mean(), Length: d, Decay: float64(i+1) * d.Mean(), Floor: model.Floor{None: true},
		})
	}
	return sys
}

func waitCases() []waitCase {
	gamma, fixed := length(model.Gamma, 2, 1), length(model.Deterministic, 1, 0)
	return []waitCase{
		{"gamma", 1, 0.8, []model.Distribution{gamma, length(model.Gamma, 1, 1.5)}, 0},
		{"deterministic", 4, 0.7, []model.Distribution{fixed, fixed, length(model.Deterministic, 2.5, 0)}, 0},
		{"hyperexponential", 1, 0.7, []model.Distribution{length(model.HyperExponential, 1, 2), length(model.HyperExponential, 1, 2), length(model.HyperExponential, 3, 5), length(model.HyperExponential, 1, 1.5)}, 0},
		{"truncated normal", 25, 0.85, []model.Distribution{length(model.Normal, 4400, 1500), length(model.Normal, 4400, 1500), length(model.Normal, 7200, 2400), length(model.Normal, 600, 500), length(model.Normal, 4400, 1500)}, 0},
		{"all", 3, 0.75, []model.Distribution{gamma, fixed, length(model.HyperExponential, 1, 2), length(model.Normal, 3, 1)}, 0},
		{"saturated", 2, 1.5, []model.Distribution{gamma, gamma, fixed}, 0},
	}
}

// compare holds the computed tails, excesses and means of every class inside
// the simulation's intervals, at 99.9 %.
func (c waitCase) compare(t *testing.T, jobs int, replications int) {
	sys := c.system()
	admit := make([]float64, len(sys.Classes))
	for i := range admit {
		admit[i] = 1
	}
	w, err := model.NewWaits(sys, admit, model.WaitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	var at []float64
	for i := range admit {
		if math.IsInf(w.Mean(i), 1) {
			continue // a queue that grows without end has no steady state
		}
		at = append(at, 0.1*w.Mean(i), w.Mean(i), 3*w.Mean(i))
	}
	waiting := WaitStudy{System: sys, At: at, Length: workload.Length{Jobs: int64(jobs), WarmupFraction: 0.1}, Replications: replications, Level: 0.999, Seed: 11}
	found, err := waiting.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range admit {
		if math.IsInf(w.Mean(i), 1) {
			continue
		}
		if !found[i].Mean.Contains(w.Mean(i)) {
			t.Errorf("class %d: mean %g, simulated %g ± %.2g", i, w.Mean(i), found[i].Mean.Mean, found[i].Mean.HalfWidth)
		}
		for k, x := range at {
			p, excess, _, _ := w.TailExcess(i, x)
			if p < 5e-3 {
				continue // too few jobs for an interval that trusts in normality
			}
			if s := found[i].Tail[k]; !s.Contains(p) {
				t.Errorf("class %d: P(W > %g) = %g, simulated %g ± %.2g", i, x, p, s.Mean, s.HalfWidth)
			}
			if s := found[i].Excess[k]; !s.Contains(excess) {
				t.Errorf("class %d: E[(W-%g)+] = %g, simulated %g ± %.2g", i, x, excess, s.Mean, s.HalfWidth)
			}
		}
	}
}

func TestWaitStudy(t *testing.T) {
	for _, c := range waitCases() {
		t.Run(c.name, func(t *testing.T) { c.compare(t, 30_000, 10) })
	}
}

// serverCases are queues of several real servers, and by how much P(W > t) may
// be off. docs/theory.md has the table.
func serverCases() []waitCase {
	one := func(kind model.Kind, sd float64) []model.Distribution {
		return []model.Distribution{length(kind, 1, sd), length(kind, 1, sd)}
	}
	return []waitCase{
		{"exponential", 0, 0, one(model.Exponential, 1), 0.005},
		{"normal, c = 1/3", 0, 0, one(model.Normal, 1.0/3), 0.03},
		{"deterministic", 0, 0, one(model.Deterministic, 0), 0.04},
		{"hyperexponential, c = 2", 0, 0, one(model.HyperExponential, 2), 0.04},
		{"urgent jobs a quarter as long", 0, 0, []model.Distribution{length(model.Normal, 2, 2.0/3), length(model.Normal, 0.5, 1.0/6)}, 0.08},
	}
}

// worst returns the largest error of P(W > t) of several servers, over the
// classes and times between, and its uncertainty.
func (c waitCase) worst(t *testing.T, jobs int) (off, unsure float64) {
	sys := c.system()
	w, err := model.NewWaits(sys, []float64{1, 1}, model.WaitOptions{Multiserver: true})
	if err != nil {
		t.Fatal(err)
	}
	at := []float64{0}
	for i := range 2 {
		for _, share := range []float64{0.3, 0.6, 0.9, 0.99} {
			x, err := w.Quantile(i, 1-(1-w.Atom(i))*(1-share))
			if err != nil {
				t.Fatal(err)
			}
			at = append(at, x)
		}
	}
	waiting := WaitStudy{System: sys, At: at, Length: workload.Length{Jobs: int64(jobs), WarmupFraction: 0.1}, Servers: true, Replications: 6, Seed: 3}
	found, err := waiting.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for i := range 2 {
		for k, x := range at {
			p, _, _, _ := w.TailExcess(i, x)
			if d := p - found[i].Tail[k].Mean; math.Abs(d) > math.Abs(off) {
				off, unsure = d, found[i].Tail[k].HalfWidth
			}
		}
	}
	return off, unsure
}

// TestServers: one case of every kind of length; the long test has all.
func TestServers(t *testing.T) {
	for _, c := range serverCases() {
		c.n, c.load = 10, 0.9
		if off, unsure := c.worst(t, 60_000); math.Abs(off) > c.within+unsure {
			t.Errorf("%s: P(W > t) is off by %.3f ± %.3f", c.name, off, unsure)
		}
	}
}

// Waits answers for the classes asked for, says that formulas assume Poisson
// arrivals where jobs arrive in another way, and a simulation beside it has those
// arrivals.
func TestWaits(t *testing.T) {
	bursty := strings.Replace(machine, "share: 0.3,", "share: 0.3, arrivals: {renewal: {cv: 3}},", 1)
	for _, c := range []struct {
		text    string
		poisson bool
	}{{machine, true}, {bursty, false}} {
		a, err := analytic.Analyze(context.Background(), fixture.Opened(t, c.text), 1, 0)
		if err != nil {
			t.Fatal(err)
		}
		o := waitOptions{
			Class: "urgent", Queue: model.Multiserver.String(), Quantiles: []float64{0.5, 0.99}, Simulate: true, Length: workload.Length{Jobs: 20000, WarmupFraction: 0.1}, Replications: 5, Seed: 1,
		}
		w, err := waitsIn(context.Background(), a, o)
		if err != nil || len(w.Classes) != 1 || len(w.Classes[0].Quantiles) != 2 || len(w.Classes[0].Tail) != 2 { // at 0 and at the grace
			t.Fatalf("%+v, %v", w, err)
		}
		warned := slices.ContainsFunc(w.Warnings, func(w warn.Warning) bool { return w.Kind == string(scenario.WarnArrivals) })
		if !slices.ContainsFunc(w.Warnings, func(w warn.Warning) bool { return w.Kind == warn.ApproximateTail }) {
			t.Errorf("the tail of several servers is approximate: warnings %v", w.Warnings)
		}
		one := w.Classes[0]
		apart := math.Abs(float64(one.Simulated.Mean/float64(one.Mean) - 1))
		if warned == c.poisson || c.poisson && apart > 0.25 || !c.poisson && apart < 0.3 {
			t.Errorf("mean wait %g, simulated %+v, warnings %v", one.Mean, one.Simulated.Mean, w.Warnings)
		}
	}
}

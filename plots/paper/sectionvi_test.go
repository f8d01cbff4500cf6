package paper

import (
	"context"
	"errors"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/metric"
	"revopt/simulate/study"
)

// simulated reports whether a figure is drawn from simulations.
func simulated(id string) bool {
	return strings.HasPrefix(id, "pricing-") || strings.HasPrefix(id, "sla-") || strings.HasPrefix(id, "bound-") ||
		slices.Contains([]string{"nist-16", "nist-17", "nist-18", "nist-19", "nist-gain", "nist-widths", "nist-phi", "libra-table1", "ic-05a", "ic-05b", "ic-06"}, id)
}

// drawn builds a recipe, writes its files and returns it.
func drawn(t *testing.T, id string, o Options) Result {
	t.Helper()
	res := build(t, id, o)
	if _, err := plots.Save(t.TempDir(), res.Picture, res.Provenance, plots.SVG, plots.CSV); err != nil {
		t.Errorf("%s: %v", id, err)
	}
	if res.Provenance.Seed == nil || *res.Provenance.Seed != o.Seed {
		t.Errorf("%s: the seed is not on record", id)
	}
	return res
}

// says fails unless the remarks of a result contain the given words.
func says(t *testing.T, id string, res Result, words ...string) {
	t.Helper()
	all := strings.Join(res.Remarks, "\n")
	for _, w := range words {
		if !strings.Contains(all, w) {
			t.Errorf("%s: no remark says %q:\n%s", id, w, all)
		}
	}
}

// TestSectionVI checks the figures of section VI, all drawn from one experiment.
func TestSectionVI(t *testing.T) {
	checkSectionVI(t, Options{Quick: true, Seed: 1, Shared: new(Shared)})
}

func checkSectionVI(t *testing.T, o Options) {
	t.Run("revenue", func(t *testing.T) { checkRevenue(t, o) })
	t.Run("gain", func(t *testing.T) { checkGain(t, o) })
	t.Run("per job", func(t *testing.T) { checkPerJob(t, o) })
	t.Run("delay", func(t *testing.T) { checkDelay(t, o) })
	t.Run("utilisation", func(t *testing.T) { checkUtilization(t, o) })
}

// curves returns the three curves of a figure of section VI.
func curves(t *testing.T, res Result) (all, optimum, tuned plots.Series) {
	t.Helper()
	fig := res.Picture.(plots.Figure)
	return named(t, fig, "Admit all"), named(t, fig, "The paper's optimum"), named(t, fig, "Tuned")
}

func checkRevenue(t *testing.T, o Options) {
	res := drawn(t, "nist-16", o)
	says(t, "nist-16", res, "between loads of 65 and 300 %", "less than either, beyond chance, at no load")
	all, optimum, tuned := curves(t, res)
	top, most := peak(all)
	if top < 2.5 || top > 3 {
		t.Errorf("admitting all earns most, %g $/s, at load %g, want 2.5 to 3", most, top)
	}
	near(t, "all at load 3", at(t, all, 3), 3.65, 0.05)
	near(t, "optimum at load 3", at(t, optimum, 3), 4.64, 0.05)
	for i := range optimum.X {
		if i > 0 && (optimum.Y[i] <= optimum.Y[i-1] || tuned.Y[i] <= tuned.Y[i-1]) {
			t.Errorf("optimal admission does not earn more at load %g than before", optimum.X[i])
		}
		if optimum.X[i] > 3 && optimum.Y[i] < all.Y[i]+1 {
			t.Errorf("load %g: the optimum earns %g, admitting all %g", optimum.X[i], optimum.Y[i], all.Y[i])
		}
	}
}

func checkGain(t *testing.T, o Options) {
	sheet := drawn(t, "nist-gain", o).Picture.(plots.Sheet)
	for _, p := range sheet.Panels {
		s := p.Series[0]
		for i, x := range s.X {
			if half := s.High[i] - s.Y[i]; s.Y[i] < -half {
				t.Errorf("%s, load %g: gain %g ± %g", p.Title, x, s.Y[i], half)
			}
		}
	}
}

func checkPerJob(t *testing.T, o Options) {
	res := drawn(t, "nist-17", o)
	says(t, "nist-17", res, "285 %")
	all, optimum, tuned := curves(t, res)
	for _, s := range []plots.Series{all, optimum, tuned} {
		near(t, s.Name+" at half load", at(t, s, 0.5), 1800, 15)
	}
	near(t, "optimum at the heaviest load", optimum.Y[len(optimum.Y)-1], 5000, 150)
	for i := range all.X {
		if i > 0 && all.X[i] > 1 && (all.Y[i] >= all.Y[i-1] || optimum.Y[i] <= optimum.Y[i-1]) {
			t.Errorf("load %g: a job should earn less than before when all are admitted, more with the optimum", all.X[i])
		}
	}
}

func checkDelay(t *testing.T, o Options) {
	all, optimum, tuned := curves(t, drawn(t, "nist-18", o))
	top, most := peak(all)
	if top < 1 || top > 2 || all.Y[len(all.Y)-1] > 0.7*most {
		t.Errorf("admitting all, delay is longest at load %g: %g h, and %g h at the end", top, most, all.Y[len(all.Y)-1])
	}
	for i, x := range all.X {
		if x >= 1 && (optimum.Y[i] > 0.8*all.Y[i] || optimum.Y[i] > tuned.Y[i]) {
			t.Errorf("load %g: delay %g h of all, %g h with the optimum, %g h tuned", x, all.Y[i], optimum.Y[i], tuned.Y[i])
		}
	}
}

func checkUtilization(t *testing.T, o Options) {
	res := drawn(t, "nist-19", o)
	says(t, "nist-19", res, "69 %")
	all, optimum, tuned := curves(t, res)
	for i, x := range all.X {
		switch {
		case x < 0.9:
			for _, s := range []plots.Series{all, optimum, tuned} {
				near(t, s.Name+" below saturation", s.Y[i], x, 0.01)
			}
		case x > 1.3:
			near(t, "all", all.Y[i], 1, 1e-3)
			near(t, "optimum", optimum.Y[i], 0.945, 0.02)
			if tuned.Y[i] < optimum.Y[i] {
				t.Errorf("load %g: tuned %g, optimum %g", x, tuned.Y[i], optimum.Y[i])
			}
		}
	}
}

// TestJobsEarnTheirPriceUpTo90Percent is the claim of figure 17 at its edge,
// which is no point of the figure.
func TestJobsEarnTheirPriceUpTo90Percent(t *testing.T) {
	s := studied(t, plan{scenario: "nist-cluster", loads: []float64{0.25, 0.75, 0.9}, replications: 16, search: briefly()}, Options{Workers: 2, Seed: 1})
	for i, load := range s.loads {
		for _, a := range []int{admitEverybody, paperOptimum} {
			v := s.interval(a, i, measure("revenue_per_job"))
			near(t, admissionNames[a]+" at load "+percent(load), v.Mean, 1800, 10+v.HalfWidth)
		}
	}
}

// briefly is the effort of a search that ends soon.
func briefly() scenario.SearchEffort {
	return scenario.SearchEffort{Jobs: 400, Replications: 2, Step: 0.1}
}

// studied runs a plan.
func studied(t *testing.T, p plan, o Options) *loadStudy {
	t.Helper()
	list, err := p.sweeps(o)
	if err != nil {
		t.Fatal(err)
	}
	found, err := o.runSweeps(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	return p.study(o, found, max(1, len(p.policies))-1)
}

func TestStudiesDoNotDependOnWorkers(t *testing.T) {
	p := widthPlan(Options{Replications: 2})
	p.loads, p.search = []float64{1, 3}, briefly()
	var want [admissionCount][]plots.Series
	for _, workers := range []int{1, 2, 8} {
		s := studied(t, p, Options{Workers: workers, Seed: 7})
		for a := range admissionCount {
			got := s.series(a, metric.RevenuePerSecond())
			if want[a] = append(want[a], got); !reflect.DeepEqual(got, want[a][0]) {
				t.Errorf("%s: %d workers give other numbers", admissionNames[a], workers)
			}
		}
	}
}

func TestSharedRunsASweepOnce(t *testing.T) {
	calls := 0
	var fail error
	run := func() (*study.SweepResults, error) { calls++; return new(study.SweepResults), fail }
	shared := new(Shared)
	ask := func(s *Shared, o Options) {
		list, err := sectionVISweeps(o)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.results(list[0], run); err != fail {
			t.Error(err)
		}
	}
	fail = errors.New("interrupted")
	ask(shared, Options{})
	fail = nil
	ask(shared, Options{})
	ask(shared, Options{Workers: 5, Dir: "somewhere"})
	if calls != 2 {
		t.Errorf("%d runs, want one that failed and one that is kept", calls)
	}
	ask(shared, Options{Seed: 1})
	ask(shared, Options{Quick: true})
	ask(shared, Options{Replications: 3})
	ask(nil, Options{})
	if calls != 6 {
		t.Errorf("%d runs, want 6: these differ", calls)
	}
}

func TestVariableWidths(t *testing.T) {
	res := drawn(t, "nist-widths", Options{Quick: true, Seed: 1})
	says(t, "nist-widths", res, "90 %", "65 %", "shares of 50, 30 and 20 %")
	panels := res.Picture.(plots.Sheet).Panels
	if len(panels) != 4 {
		t.Fatalf("%d panels, want 4", len(panels))
	}
	revenue, used, usedFilled := panels[0], panels[1], panels[3]
	all, optimum, tuned := named(t, revenue, "Admit all"), named(t, revenue, "The paper"), named(t, revenue, "Tuned")
	for i, x := range all.X {
		near(t, "utilisation when all are admitted", named(t, used, "Admit all").Y[i], 0.9, 0.03)
		if x > 1 && named(t, usedFilled, "Admit all").Y[i] < 0.97 {
			t.Errorf("load %g: backfilling leaves the cluster at %g", x, named(t, usedFilled, "Admit all").Y[i])
		}
		if best := math.Max(all.Y[i], optimum.Y[i]); tuned.Y[i] < 0.99*best {
			t.Errorf("load %g: tuned earns %g, the better of the others %g", x, tuned.Y[i], best)
		}
	}
	if top, _ := peak(all); top < 2 || top > 3 {
		t.Errorf("admitting all earns most at load %g: not the pattern of one width", top)
	}
}

func TestDelayCoefficient(t *testing.T) {
	res := drawn(t, "nist-phi", Options{Quick: true, Seed: 1})
	says(t, "nist-phi", res, "the paper has 0.56", "no steady state")
	s := res.Picture.(plots.Figure).Series[0]
	for i := 1; i < len(s.X); i++ {
		if s.Y[i] > s.Y[i-1] {
			t.Errorf("the ratio grows to %g at load %g", s.Y[i], s.X[i])
		}
	}
	var phi float64
	for _, load := range phiLoads() {
		phi += at(t, s, load) / 4
	}
	near(t, "Φ", phi, 0.65, 0.04)
	near(t, "ratio at load 0.7", at(t, s, 0.7), 1, 0.01)
}

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
	return strings.HasPrefix(id, "pricing-") || strings.HasPrefix(id, "sla-") && id != "sla-01" || strings.HasPrefix(id, "bound-") ||
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

// TestSectionVI draws the figures of section VI, all from one experiment, and decides
// the claims on them.
func TestSectionVI(t *testing.T) {
	checkSectionVI(t, Options{Quick: true, Workers: 2, Seed: 1, Shared: new(Shared)})
}

func checkSectionVI(t *testing.T, o Options) {
	for id, words := range map[string]string{
		"nist-16": "less than either, beyond chance, at no load", "nist-17": "285 %", "nist-18": "expire", "nist-19": "69 %", "nist-phi": "no steady state",
	} {
		says(t, id, drawn(t, id, o), words)
	}
	checkGain(t, o)
	list := slices.DeleteFunc(claimsOf("nist"), func(c Claim) bool { return c.On != "nist-cluster" || strings.HasPrefix(c.ID, "nist-15") })
	decide(t, o, list, map[string]Outcome{
		"nist-16-65-300": Fails, "nist-17-5000": Fails, "nist-19-all-falls": Fails, "nist-19-optimum": Fails, "nist-s6-90": Fails,
	})
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

// briefly is the effort of a search that ends soon.
func briefly() scenario.SearchEffort {
	return scenario.SearchEffort{Jobs: 400, Replications: 2, Step: 0.1}
}

// studied runs a plan.
func studied(t *testing.T, p loadPlan, o Options) *loadStudy {
	t.Helper()
	list, err := p.sweeps(o)
	if err != nil {
		t.Fatal(err)
	}
	found, err := o.runSweeps(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	return p.study(found, max(1, len(p.policies))-1)
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
		near(t, "utilization when all are admitted", named(t, used, "Admit all").Y[i], 0.9, 0.03)
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

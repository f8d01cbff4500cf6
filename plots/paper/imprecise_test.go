package paper

import (
	"context"
	"math"
	"strings"
	"testing"

	"revopt/plots"
)

// schemeCurves returns the curves of the five schemes.
func schemeCurves(t *testing.T, id string) (edf, hbf, time, whole, mandatory plots.Series, res Result) {
	t.Helper()
	res = drawn(t, id, Options{Quick: true, Seed: 1, Replications: 3})
	fig := res.Picture.(plots.Figure)
	return named(t, fig, "MF-EDF"), named(t, fig, "MF-HBF"), named(t, fig, "MF-TimeShare"), named(t, fig, "Hard-M+O"), fig.Series[4], res
}

func TestLaxityAcceptance(t *testing.T) {
	edf, hbf, time, whole, mandatory, _ := schemeCurves(t, "ic-05a")
	for i, x := range whole.X {
		if whole.Y[i] >= 0.5 {
			t.Errorf("laxity %g: Hard-M+O accepts %g, want less than half", x, whole.Y[i])
		}
		if mandatory.Y[i] < 0.99 {
			t.Errorf("laxity %g: Hard-M accepts %g, want about all", x, mandatory.Y[i])
		}
		for _, s := range []plots.Series{edf, hbf, time} {
			if s.Y[i] <= whole.Y[i] || s.Y[i] >= mandatory.Y[i] {
				t.Errorf("laxity %g: %s accepts %g, want between %g and %g", x, s.Name, s.Y[i], whole.Y[i], mandatory.Y[i])
			}
		}
		near(t, "mean acceptance of the mandatory-first schemes", (edf.Y[i]+hbf.Y[i]+time.Y[i])/3, 0.8, 0.08)
	}
}

func TestLaxityProfit(t *testing.T) {
	edf, hbf, time, whole, mandatory, res := schemeCurves(t, "ic-05b")
	says(t, "ic-05b", res, "laxity 10 %", "more than Hard-M+O")
	for i, x := range whole.X {
		for _, s := range []plots.Series{edf, hbf, time} {
			if x <= 0.2 && s.Y[i] <= math.Max(whole.Y[i], mandatory.Y[i]) {
				t.Errorf("laxity %g: %s earns %g, Hard-M+O %g, Hard-M %g", x, s.Name, s.Y[i], whole.Y[i], mandatory.Y[i])
			}
			if mandatory.Y[i] >= s.Y[i] {
				t.Errorf("laxity %g: Hard-M earns %g, %s %g", x, mandatory.Y[i], s.Name, s.Y[i])
			}
		}
		if x >= 0.2 && mandatory.Y[i] >= whole.Y[i] {
			t.Errorf("laxity %g: Hard-M earns %g, not least: Hard-M+O %g", x, mandatory.Y[i], whole.Y[i])
		}
	}
}

func TestRateProfit(t *testing.T) {
	edf, hbf, time, whole, mandatory, res := schemeCurves(t, "ic-06")
	says(t, "ic-06", res, "Hard-M+O earns less than Hard-M below a rate of 0.1")
	x, ok := crossing(whole, mandatory)
	if !ok {
		t.Fatal("Hard-M+O and Hard-M do not cross")
	}
	near(t, "crossing", x, 0.135, 0.02)
	for i, x := range whole.X {
		for _, s := range []plots.Series{edf, hbf, time} {
			if s.Y[i] < math.Max(whole.Y[i], mandatory.Y[i]) {
				t.Errorf("rate %g: %s earns %g, Hard-M+O %g, Hard-M %g", x, s.Name, s.Y[i], whole.Y[i], mandatory.Y[i])
			}
		}
	}
}

func TestLibraTable(t *testing.T) {
	const replications = 200
	o := Options{Seed: 1, Workers: 2, Replications: replications}
	list, err := specs(o, libraDesigns(o)...)
	if err != nil {
		t.Fatal(err)
	}
	found, err := o.runSweeps(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	cells := libraCells(found)
	prototype := []float64{74, 83, 87, 94, 100, 109, 156, 178}
	for i, c := range cells {
		mean, _ := spread(c.found)
		near(t, c.name, mean, prototype[i], 2.5)
	}
}

func TestLibraTableIsDrawn(t *testing.T) {
	res := drawn(t, "libra-table1", Options{Quick: true, Seed: 1})
	if len(res.Remarks) != 4 || !strings.Contains(res.Remarks[3], "200 jobs, 20 nodes") {
		t.Errorf("remarks %q", res.Remarks)
	}
	if fig := res.Picture.(plots.Figure); len(fig.Series) != 4 || len(fig.X.Categories) != 4 {
		t.Errorf("%d series, categories %v", len(fig.Series), fig.X.Categories)
	}
}

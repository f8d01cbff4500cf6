package ask

import (
	"context"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	lab "revopt/simulate/run"
	"revopt/simulate/subject"
)

// checked solves a subject and checks its advice.
func checked(t testing.TB, s *subject.Subject, workers int, o solveOptions) (*solved, *verdict) {
	t.Helper()
	ctx := context.Background()
	a, err := analytic.Analyze(ctx, s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := best(ctx, a, o)
	if err != nil {
		t.Fatal(err)
	}
	c, err := checker{s, 1, workers}.check(ctx, a, answer)
	if err != nil {
		t.Fatal(err)
	}
	return answer, c
}

// TestCheckMM1: on a queue that the formula describes exactly, advice stands, and both admissions earn what the closed
// form says: lambda (p - d W) with W = rho / (mu - lambda).
func TestCheckMM1(t *testing.T) {
	const price, decay, mean = 10.0, 0.02, 100.0
	for _, load := range []float64{0.5, 0.8, 0.9, 1.2} {
		s := fixture.Opened(t, fmt.Sprintf("server: {parallel: 1}\nload: %g\nclasses:\n  - {name: a, share: 1, length: "+
			"{mean: %g, dist: exponential}, price: %g, decay: %g}\n", load, mean, price, decay))
		answer, c := checked(t, s, 1, solveOptions{})
		earns := func(q float64) float64 {
			lambda, mu := q*load/mean, 1/mean
			return lambda * (price - decay*lambda/mu/(mu-lambda))
		}
		for name, one := range map[string]struct {
			got metric.Interval
			q   float64
		}{"advice": {c.Admission, float64(answer.Classes[0].Admit)}, "all": {c.All, 1}} {
			if one.q*load >= 1 {
				continue // it earns less and less
			}
			if want := earns(one.q); math.Abs(float64(one.got.Mean)-want) > 2*float64(one.got.HalfWidth) {
				t.Errorf("load %g: %s earns %g ± %g, want %g", load, name, one.got.Mean, one.got.HalfWidth, want)
			}
		}
		if refuses := answer.Classes[0].Admit < 1; !c.Stands || c.Endless != (load >= 1) || refuses && !(c.Best.Gain.Mean < 0) {
			t.Errorf("load %g: %+v", load, c)
		}
	}
}

// TestCheckReversed: the printed delays, and classes fitted to a trace under policies of another kind, give advice that
// is worse than a simpler admission, which the check names.
func TestCheckReversed(t *testing.T) {
	for name, instead := range map[string]string{
		"nist-four": "Admit all jobs", "nist-two": "Admit all jobs",
		"sp2-sla": "Admit all of high, others by formula", "nist-cluster": "",
	} {
		_, c := checked(t, fixture.Builtin(t, name), 2, solveOptions{})
		if c.Stands != (instead == "") || instead != "" && c.Best.Does != instead {
			t.Errorf("%s: stands %v, best %q, want %q", name, c.Stands, c.Best.Does, instead)
		}
		low, _ := c.Best.Gain.Bounds()
		if beaten := low > 0; beaten == c.Stands {
			t.Errorf("%s: gains %+v, stands %v", name, c.Best.Gain, c.Stands)
		}
	}
}

// TestCheckBelowNone: jobs that are wider than half the machine run one by one, whatever the formula takes for the
// number of its servers. Admitted beyond the load of one server they lose without end, so that advice by the formula
// does not stand; to refuse them delivers 0 $/h.
func TestCheckBelowNone(t *testing.T) {
	s := fixture.Opened(t, "server: {nodes: 19}\nload: 3\nclasses:\n  - {name: wide, share: 1, width: 10, length: "+
		"{mean: 100, dist: exponential}, price: 10, decay: 0.02}\n")
	found, c := checked(t, s, 1, solveOptions{})
	if busy := float64(found.Classes[0].AdmittedRate) * 100; busy < 1.1 {
		t.Fatalf("the formula keeps %g servers busy, want more than one", busy)
	}
	if c.Stands || !c.Endless || c.Admission.Mean > 0 || c.Best.Does != "Refuse all jobs" || c.Best.Value.Mean != 0 {
		t.Errorf("%+v", c)
	}
	a, err := analytic.Analyze(t.Context(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	found.Checked, found.model = c, a
	if h := found.advice(); h.Code != "DO_NOT_USE" || !strings.HasPrefix(h.String(), "Refuse all jobs: 0 $/h") {
		t.Errorf("%v", h)
	}
	for _, table := range found.tables() {
		for i, column := range table.Columns {
			known := slices.ContainsFunc(table.Rows, func(row []answer.Value) bool { return row[i].Known() })
			price := column.Name == "bound" || strings.HasPrefix(column.Name, "next_")
			if !column.Quiet && known && price || table.Shown {
				t.Errorf("table %s has %s in a text", table.Name, column.Name)
			}
		}
	}
}

// TestCheckSimulates: a check has the numbers of a simulation of as many jobs, at any number of workers.
func TestCheckSimulates(t *testing.T) {
	s := fixture.Builtin(t, "nist-two")
	_, c := checked(t, s, 1, solveOptions{})
	if _, other := checked(t, s, 3, solveOptions{}); !reflect.DeepEqual(c, other) {
		t.Errorf("3 workers: %+v, one: %+v", other, c)
	}
	short, err := s.With(context.Background(), scenario.Set("simulation.jobs", float64(c.Jobs)))
	if err != nil {
		t.Fatal(err)
	}
	bench, err := lab.NewLab(t.Context(), short.Document, lab.Options{Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	all := bench.Base()
	all.Do.Policy = short.Usual
	advice := all
	advice.Admission.Name = scenario.AdmitAnalytic
	f, err := bench.Frame(t.Context(), []lab.Case{all, advice}, c.Replications)
	if err != nil {
		t.Fatal(err)
	}
	delivers := func(row lab.Case) lab.Series { return f.Series(row, lab.All, lab.ColumnValue) }
	same := func(what string, got metric.Interval, want metric.Interval) {
		t.Helper()
		if !fixture.Near(float64(got.Mean), want.Mean, 1e-9) || !fixture.Near(float64(got.HalfWidth), want.HalfWidth, 1e-6) {
			t.Errorf("%s: %g ± %g, simulated %g ± %g", what, got.Mean, got.HalfWidth, want.Mean, want.HalfWidth)
		}
	}
	perSecond := func(s lab.Series) metric.Interval { return f.Estimate(s).Times(1.0 / metric.Hour) }
	same("all", c.All, perSecond(delivers(all)))
	same("advice", c.Admission, perSecond(delivers(advice)))
	k := slices.IndexFunc(c.Tried, func(r rival) bool { return r.Does == "Admit all jobs" })
	f.Level = 1 - 0.05/float64(len(c.Tried)-1) // Bonferroni: the first one is not random
	same("gain", c.Tried[k].Gain, perSecond(delivers(all).Less(delivers(advice))))
}

// TestCheckPrices: prices are checked, too. In a shop that the formulas describe they stand, and earn more than the
// stated prices.
func TestCheckPrices(t *testing.T) {
	_, c := checked(t, fixture.Opened(t, shop), 1, solveOptions{Prices: true})
	if !c.Stands || !(c.Admission.Mean > c.All.Mean+c.All.HalfWidth) {
		t.Errorf("%+v", c)
	}
}

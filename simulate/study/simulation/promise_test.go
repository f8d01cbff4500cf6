package simulation

import (
	"context"
	"errors"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/model/scenario"
	"revopt/simulate/analytic"
	"revopt/simulate/experiment"
	"revopt/simulate/study/solve"
	"revopt/simulate/subject"
)

// The shares of promises that are kept are those of the waits, inside intervals at
// 99.9 %.
func TestPromiseMatchesWaits(t *testing.T) {
	s := fixture.Opened(t, oneServer)
	admit := []float64{1, 0.9, 0.8}
	r := run(t, &Simulation{Subject: s, Admissions: []experiment.Admission{{Name: "some", Admit: admit}}, Level: 0.999, Seed: 5})
	waits, err := model.NewWaits(s.Scenario.System(), admit, model.WaitOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i, c := range r.Policies[0].Customers {
		late, _, _, _ := waits.TailExcess(i, c.Promise.Within)
		if kept := c.Get("promise_kept_of_admitted").Interval(); !kept.Contains(1 - late) {
			t.Errorf("%s: %.4f ± %.4f are kept, by the waits %.4f", c.Name, kept.Mean, kept.HalfWidth, 1-late)
		}
	}
}

// The admission that keeps the promises does so on fresh random numbers, earns
// nearly what the exact optimum of the same queue does, and costs no more.
func TestAdmissionPromise(t *testing.T) {
	doc, err := fixture.Parsed(t, oneServer).With(scenario.Set("classes.urgent.slo.within", 100), scenario.Set("classes.urgent.slo.level", 0.8))
	if err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	a, err := analytic.Analyze(context.Background(), s, 1, 0)
	if err != nil {
		t.Fatal(err)
	}
	exact, err := solve.Solve(context.Background(), a, solve.Options{Exact: true})
	if err != nil {
		t.Fatal(err)
	}
	e := under(t, s.Workload, "hol", nil, nil, 7)
	from, err := (&experiment.Admissions{Subject: s, Seed: 7}).PromiseStarts(context.Background(), e.Policy)
	if err != nil {
		t.Fatal(err)
	}
	from.Exact = false
	effort := scenario.SearchEffort{Jobs: 2000, Replications: 4, Step: 1.0 / 32}
	admit, keeping, err := experiment.Search{Experiment: e, Effort: effort, Workers: 1}.Promises(context.Background(), from)
	if err != nil || keeping.Short() != nil || keeping.Formula || len(keeping.Checks) != 3 {
		t.Fatalf("%+v, %v", keeping, err)
	}
	r := run(t, &Simulation{Subject: s, Admissions: []experiment.Admission{{Name: "found", Admit: admit}, {Name: "all"}}, Level: 0.999, Seed: 11})
	for _, c := range r.Policies[0].Customers {
		if kept := c.Get("promise_kept_of_admitted").Interval(); kept.Mean+kept.HalfWidth < c.Promise.Level {
			t.Errorf("%s: %.4f ± %.4f are kept of %g", c.Name, kept.Mean, kept.HalfWidth, c.Promise.Level)
		}
	}
	earns := r.Policies[0].Total.Get("revenue_per_second").Interval()
	if want := float64(exact.RevenuePerSecond); earns.Mean < 0.96*want || earns.Mean > 1.04*want {
		t.Errorf("the search earns %g ± %g, the exact optimum %g", earns.Mean, earns.HalfWidth, want)
	}
	cost := r.Differences[0].Total.Get("revenue_per_second").Interval()
	if want := float64(exact.Exact.PromiseCost); !(want > 0) || cost.Mean > want+0.04*float64(exact.RevenuePerSecond) {
		t.Errorf("the promises cost %g ± %g, by the exact optimum %g", cost.Mean, cost.HalfWidth, want)
	}
}

// The admission that keeps promises earns what the exact optimum does where the
// formula is that of the queue, keeps them on fresh random numbers, and earns no less
// where a promise is weaker.
func TestPromiseRelaxed(t *testing.T) {
	for path, ladder := range map[string][]float64{"classes.few.slo.level": {0.97, 0.93, 0.8}, "classes.few.slo.within": {0.5, 1.7, 4}} {
		last := 0.0
		for _, x := range ladder {
			doc, err := fixture.Parsed(t, rarely).With(scenario.Set(path, x))
			if err != nil {
				t.Fatal(err)
			}
			s, err := subject.Open(context.Background(), doc, 1, nil)
			if err != nil {
				t.Fatal(err)
			}
			a, err := analytic.Analyze(context.Background(), s, 1, 0)
			if err != nil {
				t.Fatal(err)
			}
			exact, err := solve.Solve(context.Background(), a, solve.Options{Exact: true})
			if err != nil {
				t.Fatal(err)
			}
			row := run(t, &Simulation{Subject: s, Admissions: []experiment.Admission{{Name: scenario.AdmitPromise}}, Level: 0.999, Seed: 3}).Policies[0]
			earns, want := row.Total.Get("revenue_per_second").Interval(), float64(exact.RevenuePerSecond)
			if earns.Mean+earns.HalfWidth < want || !row.Admission.Formula || row.Admission.Short() != nil {
				t.Errorf("%s=%g: %g ± %g is earned, by the formula %g; %+v", path, x, earns.Mean, earns.HalfWidth, want, row.Admission)
			}
			if earns.Mean < last {
				t.Errorf("%s=%g: %g is earned, %g with a stricter promise", path, x, earns.Mean, last)
			}
			last = earns.Mean
			// The class is admitted as the optimum says, or refused, not in traces.
			few, q := row.Customers[0], row.Admission.Admit[0]
			if kept := few.Get("promise_kept_of_admitted").Interval(); q != float64(exact.Classes[0].Admit) || q > 0 && kept.Mean+kept.HalfWidth < few.Promise.Level {
				t.Errorf("%s=%g: %.4f ± %.4f are kept of %g at %v", path, x, kept.Mean, kept.HalfWidth, few.Promise.Level, row.Admission.Admit)
			}
		}
	}
}

// A scenario without promises has none to keep.
func TestNoPromise(t *testing.T) {
	var none *experiment.NoPromiseError
	sim := &Simulation{Subject: fixture.Builtin(t, "nist-four"), Admissions: []experiment.Admission{{Name: scenario.AdmitPromise}}}
	if _, err := sim.Run(context.Background()); !errors.As(err, &none) {
		t.Errorf("a scenario without promises: %v", err)
	}
}

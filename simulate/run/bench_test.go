package run_test

import (
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/plan"
	"revopt/simulate/run"
	"revopt/simulate/study/simulation"
)

// The same class run through a lab and through the study that it replaces.

func BenchmarkLab(b *testing.B) {
	doc, err := scenario.Builtin("nist-four")
	if err == nil {
		doc, err = doc.With(scenario.Override{Path: "simulation.jobs", Value: "1000000"})
	}
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		l, err := run.NewLab(b.Context(), doc, run.Options{Seed: 1, Workers: 1})
		if err != nil {
			b.Fatal(err)
		}
		row := l.Base()
		row.Do.Policy = "hol"
		row.Detail = run.Detail{Customers: true, Batches: true}
		if _, err := l.Frame(b.Context(), []run.Case{row}, 1); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkStudy(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		s := fixture.Builtin(b, "nist-four", scenario.Override{Path: "simulation.jobs", Value: "1000000"})
		_, err := (&simulation.Simulation{Subject: s, Policies: fixture.Named(b, "hol"), Replications: 1, Seed: 1,
			Runner: &plan.Runner{Workers: 1}}).Run(b.Context())
		if err != nil {
			b.Fatal(err)
		}
	}
}

package run_test

import (
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/plan"
	"revopt/simulate/run"
	"revopt/simulate/study/simulation"
)

// The same class runs through a lab and through the study that it replaces: one long replication, and many short ones.

func BenchmarkLab(b *testing.B) { benchmark(b, byLab) }

func BenchmarkStudy(b *testing.B) { benchmark(b, byStudy) }

func benchmark(b *testing.B, by func(b *testing.B, jobs string, n int)) {
	for _, c := range []struct {
		jobs string
		n    int
	}{{"1000000", 1}, {"2000", 200}} {
		b.Run(c.jobs, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				by(b, c.jobs, c.n)
			}
		})
	}
}

func byLab(b *testing.B, jobs string, n int) {
	doc, err := scenario.Builtin("nist-four")
	if err == nil {
		doc, err = doc.With(scenario.Override{Path: "simulation.jobs", Value: jobs})
	}
	if err != nil {
		b.Fatal(err)
	}
	l, err := run.NewLab(b.Context(), doc, run.Options{Seed: 1, Workers: 1})
	if err != nil {
		b.Fatal(err)
	}
	row := l.Base()
	row.Do.Policy = "hol"
	row.Detail = run.Detail{Customers: true, Batches: true}
	if _, err := l.Frame(b.Context(), []run.Case{row}, n); err != nil {
		b.Fatal(err)
	}
}

func byStudy(b *testing.B, jobs string, n int) {
	s := fixture.Builtin(b, "nist-four", scenario.Override{Path: "simulation.jobs", Value: jobs})
	_, err := (&simulation.Simulation{Subject: s, Policies: fixture.Named(b, "hol"), Replications: n, Seed: 1,
		Runner: &plan.Runner{Workers: 1}}).Run(b.Context())
	if err != nil {
		b.Fatal(err)
	}
}

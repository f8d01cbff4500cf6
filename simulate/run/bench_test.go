package run_test

import (
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/run"
)

// A class runs through a lab: one long replication, and many short ones.

func BenchmarkLab(b *testing.B) {
	for _, c := range []struct {
		jobs string
		n    int
	}{{"1000000", 1}, {"2000", 200}} {
		b.Run(c.jobs, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				byLab(b, c.jobs, c.n)
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
	row.Detail = run.Detail{Customers: true}
	if _, err := l.Frame(b.Context(), []run.Case{row}, n); err != nil {
		b.Fatal(err)
	}
}

package study

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/policy"
)

// BenchmarkHundredThousandCells runs as many tiny cells with a journal and
// without, and reads such a journal.
func BenchmarkHundredThousandCells(b *testing.B) {
	p := plan(b, `scenario: nist-cluster
set: {simulation.jobs: 50}
vary: {load: 0.5:1.5:x1000}
seeds: 100
metrics: [revenue_per_second, utilization, mean_wait]
`)
	parent := b.TempDir()
	var l Engine
	b.Run("without", func(b *testing.B) {
		for b.Loop() {
			l.Dir = ""
			if _, err := p.RunOn(context.Background(), l); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("journal", func(b *testing.B) {
		for b.Loop() {
			l.Dir = filepath.Join(parent, strconv.Itoa(rand.Int()))
			if _, err := p.RunOn(context.Background(), l); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("resume", func(b *testing.B) {
		for b.Loop() {
			r, err := CollectSweep(context.Background(), l.Dir, nil, false)
			if err != nil || !r.Complete() {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkApplications is the number of applications that the grid of the paper
// serves per second of computing.
func BenchmarkApplications(b *testing.B) {
	for _, name := range policy.Schemes() {
		b.Run(name, func(b *testing.B) {
			s := builtin(b, "ic-grid", scenario.Set("applications.count", float64(b.N)))
			b.ReportAllocs()
			b.ResetTimer()
			if _, err := under(b, s.Workload, name, nil, nil, 1).Run(context.Background(), 0); err != nil {
				b.Fatal(err)
			}
			b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "apps/s")
		})
	}
}

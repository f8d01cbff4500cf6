package study

import (
	"context"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"
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
			r, err := CollectSweep(l.Dir, nil, false)
			if err != nil || !r.Complete() {
				b.Fatal(err)
			}
		}
	})
}

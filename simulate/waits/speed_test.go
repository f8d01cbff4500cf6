package waits

import (
	"math"
	"math/rand/v2"
	"testing"
)

// BenchmarkDecompose splits the waits of 200,000 jobs, of which a thousand wait at a time.
func BenchmarkDecompose(b *testing.B) {
	r := rand.New(rand.NewPCG(2, 2))
	l := &Log{Pools: []Pool{{"all", 1000, "core"}}}
	for i := range 200000 {
		j := Job{Submit: float64(100 * i), Eligible: math.NaN(), Width: 1 + r.IntN(20), Queue: "q", After: -1,
			Account: string(rune('a' + r.IntN(20))), User: string(rune('A' + r.IntN(50)))}
		j.Start = j.Submit + math.Round(100000*r.ExpFloat64())
		j.End = j.Start + math.Round(9000*r.ExpFloat64())
		l.Jobs = append(l.Jobs, j)
	}
	b.Run("parts", func(b *testing.B) {
		for range b.N {
			l.Decompose(100)
		}
	})
	b.Run("limits", func(b *testing.B) {
		for range b.N {
			l.FindLimits()
		}
	})
	b.Run("outages", func(b *testing.B) {
		for range b.N {
			l.FindOutages()
		}
	})
}

package optimize_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

func eightClasses() model.System {
	rnd := rand.New(rand.NewPCG(8, 8))
	for {
		sys := randomSystem(rnd, model.Printed, func() float64 { return 0.3 })
		if len(sys.Classes) == 8 && sys.Load() > 1 {
			return sys
		}
	}
}

func BenchmarkCG4(b *testing.B) {
	sys := fourClasses(0.6)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := optimize.ConjugateGradient(context.Background(), sys, optimize.Settings{Starts: 1}); err != nil {
			b.Fatal(err)
		}
	}
}

func benchmarkCertified(b *testing.B, sys model.System) {
	b.ReportAllocs()
	nodes := 0
	for b.Loop() {
		r, err := optimize.Certified(context.Background(), sys, optimize.Settings{})
		if err != nil || !r.Certified {
			b.Fatal(err, r.Gap)
		}
		nodes = r.Nodes
	}
	b.ReportMetric(float64(nodes), "nodes")
}

func BenchmarkCertified4(b *testing.B) { benchmarkCertified(b, fourClasses(0.6)) }
func BenchmarkCertified8(b *testing.B) { benchmarkCertified(b, eightClasses()) }

func BenchmarkShadowPrices4(b *testing.B) {
	sys := fourClasses(0.6)
	r, err := optimize.Certified(context.Background(), sys, optimize.Settings{})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := optimize.ShadowPrices(context.Background(), sys, r); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSweep4 reports the time of one point of a warm-started sweep.
func BenchmarkSweep4(b *testing.B) {
	values := make([]float64, 200)
	for i := range values {
		values[i] = 0.05 + 1.35*float64(i)/float64(len(values)-1)
	}
	for b.Loop() {
		_, err := optimize.Sweep(context.Background(), values, func(x float64) (model.System, error) { return fourClasses(x), nil }, optimize.Settings{})
		if err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(values)), "ns/point")
}

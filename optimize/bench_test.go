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

// gracedClasses is fourClasses with a grace per class: multiples of T0 with
// everybody admitted, as the convention has it.
func gracedClasses(load float64, convention model.Residual) model.System {
	sys := fourClasses(load)
	sys.Residual = convention
	scale := 4400.0
	if convention == model.Pooled {
		scale /= sys.Parallel
	} else {
		scale *= sys.Parallel / 4
	}
	for i, share := range []float64{0.5, 0.1, 1, 0.3} {
		sys.Classes[i].Grace.Fixed = share * scale
	}
	return sys
}

func benchmarkSweep(b *testing.B, at func(x float64) model.System) {
	values := make([]float64, 200)
	for i := range values {
		values[i] = 0.05 + 1.35*float64(i)/float64(len(values)-1)
	}
	nodes := 0
	for b.Loop() {
		points, err := optimize.Sweep(context.Background(), values, func(x float64) (model.System, error) { return at(x), nil }, optimize.Settings{})
		if err != nil {
			b.Fatal(err)
		}
		nodes = 0
		for _, p := range points {
			nodes += p.Result.Nodes
			if !p.Result.Certified {
				b.Fatal(p.Value, p.Result.Gap)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*len(values)), "ns/point")
	b.ReportMetric(float64(nodes)/float64(len(values)), "nodes/point")
}

func BenchmarkSweepPrintedGraces4(b *testing.B) {
	benchmarkSweep(b, func(x float64) model.System { return gracedClasses(x, model.Printed) })
}

func BenchmarkSweepPooledGraces4(b *testing.B) {
	benchmarkSweep(b, func(x float64) model.System { return gracedClasses(x, model.Pooled) })
}

// BenchmarkSweep4 is a sweep without graces.
func BenchmarkSweep4(b *testing.B) { benchmarkSweep(b, fourClasses) }

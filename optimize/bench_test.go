package optimize_test

import (
	"context"
	"testing"

	"revopt/optimize"
)

func BenchmarkCertified(b *testing.B) {
	b.ReportAllocs()
	nodes := 0
	for b.Loop() {
		r, err := optimize.Certified(context.Background(), fourClasses(0.6), optimize.Settings{})
		if err != nil || !r.Certified {
			b.Fatal(err, r.Gap)
		}
		nodes = r.Nodes
	}
	b.ReportMetric(float64(nodes), "nodes")
}

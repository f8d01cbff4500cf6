package run

import (
	"math"
	"math/rand/v2"
	"testing"

	"revopt/internal/fixture"
)

// TestWithin: by hand, of ten jobs nine end, after waits of 0 to 8 s: 90 % of them wait at most 8 s, 50 % at most 4 s,
// and no wait holds more than nine.
func TestWithin(t *testing.T) {
	w := waits{jobs: 10, ended: []float64{8, 3, 0, 7, 1, 6, 2, 5, 4}}
	for level, want := range map[float64]float64{0.9: 8, 0.5: 4, 0.41: 4, 0.4: 3, 0.1: 0, 0.91: math.Inf(1)} {
		if got := w.within(level); got != want {
			t.Errorf("%g: %g, want %g", level, got, want)
		}
	}
	if none := (&waits{}); none.within(0.9) != 0 {
		t.Error("a promise to nobody is not kept")
	}
}

// TestPromised: by hand, the order statistics of histories that need waits of 1, 2, ... s. A further one needs no more
// than the k-th of n with probability k/(n+1): 95 % is the 19th of 19, the 38th of 39, the 96th of 100. A history that
// serves too few jobs needs any wait.
func TestPromised(t *testing.T) {
	promise, row := Promise{"a", 0.9}, Case{Do: Action{Policy: "x"}}
	for _, c := range []struct {
		n, never   int
		confidence float64
		want       float64 // 0: none
	}{
		{19, 0, 0.95, 19}, {18, 0, 0.95, 0}, {39, 0, 0.95, 38}, {39, 1, 0.95, 38}, {39, 2, 0.95, 0}, {100, 0, 0.95, 96},
		{100, 4, 0.95, 96}, {100, 5, 0.95, 0}, {1, 0, 0.5, 1}, {1, 0, 0.95, 0}, {99, 0, 0.9, 90}, {0, 0, 0.5, 0},
	} {
		records := make([]Record, c.n)
		for i, k := range rand.New(rand.NewPCG(56, 1)).Perm(c.n) {
			records[i].set(Customer("a"), promise.column(), float64(k+1))
			if k+1 > c.n-c.never {
				records[i] = Record{}
			}
		}
		f := &Frame{rows: map[string]*Runs{row.Row(): {records: records}}}
		got, ok := f.Promised(row, promise, c.confidence)
		if got != c.want || ok != (c.want > 0) {
			t.Errorf("%d histories, %d without end, %g: %g %v, want %g", c.n, c.never, c.confidence, got, ok, c.want)
		}
	}
	for confidence, want := range map[float64]int{0.95: 19, 0.9: 9, 0.5: 1, 0.99: 99} {
		if got := PromiseLeast(confidence); got != want {
			t.Errorf("%g needs %d histories, want %d", confidence, got, want)
		}
	}
}

// TestPerMean: the ratio of two means and its interval by hand, by the delta method: of 1, 2, 6 over 1, 1, 2 the ratio is
// 9/4 and the residuals are -5/4, -1/4 and 6/4, over the mean 4/3.
func TestPerMean(t *testing.T) {
	series := func(x ...float64) Series { return Series{values: x} }
	r := series(1, 2, 6).PerMean(series(1, 1, 2))
	for k, residual := range []float64{-5. / 4, -1. / 4, 6. / 4} {
		if x, ok := r.At(k); !ok || !fixture.Near(x, 9./4+residual*3/4, 1e-12) {
			t.Errorf("%d: %g %v", k, x, ok)
		}
	}
	if x, _ := r.Mean(); !fixture.Near(x, 9./4, 1e-12) {
		t.Errorf("ratio %g", x)
	}
	if x := series(1, 2).PerMean(series(0, 0)); x.Len() != 0 {
		t.Error("a ratio to nothing")
	}
}

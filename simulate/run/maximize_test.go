package run

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"
)

// bowl is a noisy concave revenue whose noise is common to all admissions of
// a replication, with its maximum at the given point.
func bowl(peak []float64, noise float64) revenueFunc {
	return func(_ context.Context, admit []float64, replication int) (float64, error) {
		rnd := rand.New(rand.NewPCG(uint64(replication), 1))
		r := 10 + noise*rnd.NormFloat64()
		for i, q := range admit {
			d := q - peak[i]
			r -= d * d * (1 + noise*rnd.Float64())
		}
		return r, nil
	}
}

// TestMaximize finds known maxima, inside the box and on its edges.
func TestMaximize(t *testing.T) {
	for _, peak := range [][]float64{{0.5}, {1, 0, 0.3}, {0.9, 0.05, 1, 0.6}} {
		for _, noise := range []float64{0, 0.5} {
			ones := make([]float64, len(peak))
			for i := range ones {
				ones[i] = 1
			}
			got, err := Maximize(context.Background(), bowl(peak, noise), searchSettings{Starts: [][]float64{ones}})
			if err != nil {
				t.Fatal(err)
			}
			for i, q := range got {
				if math.Abs(q-peak[i]) > 1.0/32 {
					t.Errorf("peak %v, noise %g: found %v", peak, noise, got)
				}
			}
		}
	}
}

// TestNoWorseThanStarts lets the search fit noise that means nothing: the
// comparison on numbers it has not seen must give the start back.
func TestNoWorseThanStarts(t *testing.T) {
	const n = 4
	// In the replications of the search lower is better, elsewhere worse.
	misleading := func(_ context.Context, admit []float64, replication int) (float64, error) {
		if replication < n {
			return -admit[0], nil
		}
		return admit[0], nil
	}
	got, err := Maximize(context.Background(), misleading, searchSettings{Starts: [][]float64{{0.2}, {1}}, Replications: n})
	if err != nil {
		t.Fatal(err)
	}
	if got[0] != 1 {
		t.Errorf("found %+v, want the start that is better on fresh numbers", got)
	}
}

func TestErrors(t *testing.T) {
	broken := errors.New("broken")
	fails := func(context.Context, []float64, int) (float64, error) { return 0, broken }
	if _, err := Maximize(context.Background(), fails, searchSettings{Starts: [][]float64{{1}}}); !errors.Is(err, broken) {
		t.Errorf("error %v, want %v", err, broken)
	}
	if _, err := Maximize(context.Background(), fails, searchSettings{}); err == nil {
		t.Error("no start is accepted")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Maximize(ctx, bowl([]float64{1}, 0), searchSettings{Starts: [][]float64{{1}}}); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v after canceling", err)
	}
}

func ExampleMaximize() {
	// Revenue that is best where three quarters are admitted.
	revenue := func(_ context.Context, admit []float64, _ int) (float64, error) {
		return 2*admit[0]*1.5 - 2*admit[0]*admit[0], nil
	}
	best, err := Maximize(context.Background(), revenue, searchSettings{Starts: [][]float64{{1}}})
	if err != nil {
		panic(err)
	}
	fmt.Printf("%.2f\n", best[0])
	// Output: 0.75
}

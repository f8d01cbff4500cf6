package metric_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"revopt/simulate/metric"
)

func square(_ context.Context, i int) (float64, error) { return float64(i * i), nil }

// TestReplicateCancel: replication 3 cancels and hangs until it is told; what
// comes before is returned, what comes after is not.
func TestReplicateCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	var before sync.WaitGroup
	before.Add(3)
	got, err := metric.Replicate(ctx, 0, 100, 2, func(ctx context.Context, i int) (int, error) {
		if i == 3 {
			before.Wait()
			cancel()
			<-ctx.Done()
			return 0, ctx.Err()
		}
		if i < 3 {
			defer before.Done()
		}
		return i, nil
	})
	if want := []int{0, 1, 2}; !errors.Is(err, context.Canceled) || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v and %v", got, err, want, context.Canceled)
	}
}

// TestReplicateError: one failure stops the rest and is the error returned,
// even where canceled replications come before it.
func TestReplicateError(t *testing.T) {
	bad := errors.New("bad")
	got, err := metric.Replicate(context.Background(), 0, 1000, 2, func(ctx context.Context, i int) (int, error) {
		switch i {
		case 0:
			<-ctx.Done()
			return 0, fmt.Errorf("replication 0: %w", ctx.Err())
		case 5:
			return 0, bad
		}
		return i, nil
	})
	if err != bad || len(got) != 0 {
		t.Errorf("got %v, %v, want nothing and %v", got, err, bad)
	}
}

// TestUntil: replication i yields 1 or 3 in turn, so the relative half width
// is about t/(2 sqrt n), at the levels of LookLevel: 0.47 at 10 replications, 0.27 at 20,
// 0.174 at 40.
func TestUntil(t *testing.T) {
	turn := func(_ context.Context, i int) (float64, error) { return float64(1 + i%2*2), nil }
	for _, test := range []struct {
		precision metric.Precision
		n         int
		met       bool
	}{
		{metric.Precision{Relative: 0.48}, 10, true},
		{metric.Precision{Relative: 0.28}, 20, true},
		{metric.Precision{Relative: 0.18}, 40, true},
		{metric.Precision{Relative: 0.18, Max: 30}, 30, false},
		{metric.Precision{Relative: 0.4, First: 4}, 16, true},
		{metric.Precision{Relative: 0.4, Level: 0.999}, 40, true},
	} {
		for _, workers := range []int{1, 8} {
			got, met, err := metric.Until(context.Background(), test.precision, workers, turn, func(x []float64) [][]float64 { return [][]float64{slices.Repeat([]float64{100}, len(x)), x} })
			if err != nil || len(got) != test.n || met != test.met {
				t.Errorf("%+v: %d replications, %t, %v; want %d, %t", test.precision, len(got), met, err, test.n, test.met)
			}
		}
	}
	if _, _, err := metric.Until(context.Background(), metric.Precision{}, 1, turn, nil); err == nil {
		t.Error("no precision was accepted")
	}
}

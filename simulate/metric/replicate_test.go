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

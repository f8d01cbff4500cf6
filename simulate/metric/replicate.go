package metric

import (
	"context"
	"errors"
	"runtime"
	"sync"
	"sync/atomic"

	"revopt/simulate"
)

// Replicate calls run for the replications from, ..., to-1 on the given number
// of workers (0: one per processor) and returns their results in that order,
// so that they are the same at any number of workers.
//
// After an error or a canceled context it returns the error and the results of
// the replications before the first that did not finish. Later ones that did
// finish are left out: to keep them would favor short replications. A panic of
// run is a *simulate.PanicError.
func Replicate[T any](
	ctx context.Context, from, to, workers int, run func(ctx context.Context, replication int) (T, error),
) ([]T, error) {
	n := to - from
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	results, errs := make([]T, n), make([]error, n)
	var next atomic.Int64
	var group sync.WaitGroup
	for range min(workers, n) {
		group.Go(func() {
			for i := int(next.Add(1)) - 1; i < n; i = int(next.Add(1)) - 1 {
				errs[i] = ctx.Err()
				if errs[i] == nil {
					results[i], errs[i] = simulate.Guard(func() (T, error) { return run(ctx, from+i) })
				}
				if errs[i] != nil {
					cancel()
				}
			}
		})
	}
	group.Wait()
	return prefix(results, errs)
}

// prefix returns the results before the first error, and that error. Where one
// replication's failure canceled others, the failure is the error to tell.
func prefix[T any](results []T, errs []error) ([]T, error) {
	done := len(results)
	var first error
	for i, err := range errs {
		if err == nil {
			continue
		}
		done = min(done, i)
		if first == nil || errors.Is(first, context.Canceled) && !errors.Is(err, context.Canceled) {
			first = err
		}
	}
	return results[:done], first
}

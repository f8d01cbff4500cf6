package run

import (
	"context"
	"runtime"

	"revopt/simulate/metric"
)

// spare are the workers of a lab that have nothing left to do. They compute parts of cases that still run.
type spare struct{ idle chan struct{} }

// newSpare returns workers that are all idle; 0: one for each processor.
func newSpare(workers int) *spare {
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	s := &spare{make(chan struct{}, workers)}
	for range workers {
		s.idle <- struct{}{}
	}
	return s
}

// call takes at most n idle workers, and returns how many.
func (s *spare) call(n int) int {
	for i := range n {
		select {
		case <-s.idle:
		default:
			return i
		}
	}
	return n
}

// free gives workers back.
func (s *spare) free(n int) {
	for range n {
		s.idle <- struct{}{}
	}
}

// alongside computes the parts of something, in any order, on the caller's worker and on those that are idle or become
// it, and returns the results in the order of the parts.
func alongside[T any](ctx context.Context, s *spare, n int, part func(ctx context.Context, i int) (T, error)) ([]T,
	error) {
	own := make(chan struct{}, 1)
	own <- struct{}{}
	return metric.Replicate(ctx, 0, n, n, func(ctx context.Context, i int) (T, error) {
		from := own
		select {
		case <-own:
		case <-s.idle:
			from = s.idle
		}
		defer func() { from <- struct{}{} }()
		return part(ctx, i)
	})
}

// each calls a function for the numbers below n, beside each other.
func (s *spare) each(ctx context.Context, n int, call func(ctx context.Context, i int)) error {
	_, err := alongside(ctx, s, n, func(ctx context.Context, i int) (struct{}, error) {
		call(ctx, i)
		return struct{}{}, nil
	})
	return err
}

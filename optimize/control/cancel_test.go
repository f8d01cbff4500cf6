package control_test

import (
	"context"
	"errors"
	"testing"

	"revopt/optimize/control"
)

// fuse is a context that ends when its error has been checked the given number of
// times: no clock decides how far a computation comes.
type fuse struct {
	context.Context
	checks, most int
}

func (f *fuse) Err() error {
	if f.checks++; f.checks > f.most {
		return context.Canceled
	}
	return nil
}

// TestCanceled cancels both computations at several points: each returns the error of
// the context, and checks that only a few more times.
func TestCanceled(t *testing.T) {
	for name, f := range map[string]func(ctx context.Context) error{
		"solve": func(ctx context.Context) error {
			_, err := control.Solve(ctx, markovFour(0.99, 25), control.Settings{Gap: 1e-15, Waiting: -1})
			return err
		},
		"thresholds": func(ctx context.Context) error {
			_, err := control.Thresholds(ctx, markovFour(0.9, 25), control.Settings{Waiting: -1})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, most := range []int{0, 1, 30, 500} {
				ctx := &fuse{Context: context.Background(), most: most}
				err := f(ctx)
				if !errors.Is(err, context.Canceled) {
					t.Errorf("canceled after %d checks: error %v", most, err)
				}
				if late := ctx.checks - most; late > 30 {
					t.Errorf("canceled after %d checks: %d more", most, late)
				}
			}
		})
	}
}

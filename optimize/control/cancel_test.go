package control_test

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/optimize/control"
)

// TestCanceled cancels both computations at several points: each returns the error of
// the context, and checks that only a few more times.
func TestCanceled(t *testing.T) {
	fixture.CheckCanceled(t, map[string]func(ctx context.Context) error{
		"solve": func(ctx context.Context) error {
			_, err := control.Solve(ctx, markovFour(0.99, 25), control.Settings{Gap: 1e-15, Waiting: -1})
			return err
		},
		"thresholds": func(ctx context.Context) error {
			_, err := control.Thresholds(ctx, markovFour(0.9, 25), control.Settings{Waiting: -1})
			return err
		},
	})
}

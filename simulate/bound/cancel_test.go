package bound

import (
	"context"
	"errors"
	"testing"
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

// TestClairvoyantCanceled cancels long computations of every kind of jobs at several
// points: each returns the error of the context after a few more checks.
func TestClairvoyantCanceled(t *testing.T) {
	for _, c := range cases(500) {
		// Finer than any gap asks for, so that it would take long.
		o := Options{Gap: 1e-12, first: 1 << 16, edges: 1 << 19}
		for _, most := range []int{0, 1, 10, 100} {
			ctx := &fuse{Context: context.Background(), most: most}
			_, err := Clairvoyant(ctx, c.jobs, Uniform(128), o)
			if ctx.checks <= most {
				break // done before
			}
			if !errors.Is(err, context.Canceled) || ctx.checks > most+100 {
				t.Errorf("%s, canceled after %d checks: %d checks, error %v", c.name, most, ctx.checks, err)
			}
		}
	}
}

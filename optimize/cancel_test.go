package optimize_test

import (
	"context"
	"fmt"
	"testing"

	"revopt/internal/fixture"
	"revopt/model"
	"revopt/optimize"
)

// manyClasses returns a crowded system of n classes with unlike lengths, decays
// and graces.
func manyClasses(n int, r model.Residual) model.System {
	sys := model.System{Parallel: 20, Residual: r, Phi: 1}
	for i := range n {
		x := float64(i + 1)
		sys.Classes = append(sys.Classes, model.Class{
			Name: fmt.Sprint("class ", i), Rate: 30 / float64(n) / (50 * x), Length: normal(50*x, 20*x),
			Price: model.Tariff{Fixed: 2 + x}, Decay: 0.03 / x, Grace: model.Grace{Fixed: 3 * float64(i%7)}, Floor: model.Floor{None: true},
		})
	}
	return sys
}

// TestCanceled cancels every computation at several points: it returns the error
// of the context, and checks that only a few more times.
func TestCanceled(t *testing.T) {
	hard := optimize.Settings{Gap: 1e-15, MaxNodes: 1 << 30, Starts: 1 << 20}
	solved := solved(t, manyClasses(6, model.Printed))
	forever := make([]float64, 1<<14)
	fixture.CheckCanceled(t, map[string]func(ctx context.Context) error{
		"printed": func(ctx context.Context) error {
			_, err := optimize.Solve(ctx, manyClasses(24, model.Printed), hard)
			return err
		},
		"pooled": func(ctx context.Context) error {
			_, err := optimize.Certified(ctx, manyClasses(24, model.Pooled), hard)
			return err
		},
		"conjugate gradient": func(ctx context.Context) error {
			_, err := optimize.ConjugateGradient(ctx, manyClasses(24, model.Multiserver), hard)
			return err
		},
		"exact": func(ctx context.Context) error {
			_, err := optimize.Exact(ctx, manyClasses(8, model.Pooled), hard)
			return err
		},
		"sweep": func(ctx context.Context) error {
			_, err := optimize.Sweep(ctx, forever, func(float64) (model.System, error) { return manyClasses(4, model.Printed), nil }, optimize.Settings{})
			return err
		},
		"shadow prices": func(ctx context.Context) error {
			for {
				// Half of the optimum is stationary nowhere, so that the prices
				// are difference quotients.
				half := solved
				half.Admit = make([]float64, len(solved.Admit))
				for i, q := range solved.Admit {
					half.Admit[i] = q / 2
				}
				if _, err := optimize.ShadowPrices(ctx, manyClasses(6, model.Printed), half); err != nil {
					return err
				}
			}
		},
	})
}

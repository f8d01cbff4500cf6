package optimize_test

import (
	"context"
	"testing"

	"revopt/model"
	"revopt/optimize"
)

// certified returns the certified optimum, with the default settings unless others
// are given.
func certified(t testing.TB, sys model.System, settings ...optimize.Settings) optimize.Result {
	t.Helper()
	return must(optimize.Certified(context.Background(), sys, append(settings, optimize.Settings{})[0]))
}

// local returns the optimum of conjugate gradients.
func local(t testing.TB, sys model.System, settings optimize.Settings) optimize.Result {
	t.Helper()
	return must(optimize.ConjugateGradient(context.Background(), sys, settings))
}

// solved returns the optimum of Solve.
func solved(t testing.TB, sys model.System) optimize.Result {
	t.Helper()
	return must(optimize.Solve(context.Background(), sys, optimize.Settings{}))
}

func shadowPrices(t testing.TB, sys model.System, r optimize.Result) optimize.Prices {
	t.Helper()
	return must(optimize.ShadowPrices(context.Background(), sys, r))
}

func newHOL(t testing.TB, sys model.System) *model.HOL {
	t.Helper()
	return must(model.NewHOL(sys))
}

// must returns v, and panics if there is an error.
func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func exponential(mean float64) model.Distribution {
	return must(model.New(model.Exponential, mean, 0, 0))
}

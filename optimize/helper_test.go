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
	r, err := optimize.Certified(context.Background(), sys, append(settings, optimize.Settings{})[0])
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// local returns the optimum of conjugate gradients.
func local(t testing.TB, sys model.System, settings optimize.Settings) optimize.Result {
	t.Helper()
	r, err := optimize.ConjugateGradient(context.Background(), sys, settings)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// solved returns the optimum of Solve.
func solved(t testing.TB, sys model.System) optimize.Result {
	t.Helper()
	r, err := optimize.Solve(context.Background(), sys, optimize.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func shadowPrices(t testing.TB, sys model.System, r optimize.Result) optimize.Prices {
	t.Helper()
	p, err := optimize.ShadowPrices(context.Background(), sys, r)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func newHOL(t testing.TB, sys model.System) *model.HOL {
	t.Helper()
	h, err := model.NewHOL(sys)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

package model_test

import (
	"testing"

	"revopt/model"
)

// TestZeroSystem: who states neither a convention nor a delay coefficient gets the exact queue of one fast server and
// delays as they are. An M/M/1 queue at load 1/2 earns lambda (p - d rho / (mu - lambda)).
func TestZeroSystem(t *testing.T) {
	class := model.Class{Rate: 0.5, Length: length(model.Exponential, 1, 1), Price: model.Tariff{Fixed: 10}, Decay: 2}
	h := hol(t, model.System{Parallel: 1, Classes: []model.Class{class}})
	if got, want := h.Revenue([]float64{1}), 0.5*(10-2*0.5/0.5); got != want {
		t.Errorf("earns %g, want %g", got, want)
	}
	if r := (model.System{}).Residual; r != model.Pooled || r.String() != "pooled" || model.Printed.String() != "printed" {
		t.Errorf("zero is %v", r)
	}
}

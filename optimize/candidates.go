package optimize

import (
	"slices"

	"revopt/model"
)

// Candidates returns admissions from which a search for the one that earns most
// on a simulator starts: everybody, the optimum of the system as it is, and that
// with the delays of n servers, which simulated ones resemble most.
func Candidates(sys model.System) ([][]float64, error) {
	own, err := Solve(sys, Settings{})
	if err != nil {
		return nil, err
	}
	sys.Residual = model.Multiserver
	servers, err := Solve(sys, Settings{})
	if err != nil {
		return nil, err
	}
	everybody := slices.Repeat([]float64{1}, len(sys.Classes))
	return [][]float64{everybody, own.Admit, servers.Admit}, nil
}

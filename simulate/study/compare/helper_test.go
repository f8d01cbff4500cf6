package compare

import (
	"context"
	"testing"

	"revopt/simulate/study"
	"revopt/simulate/study/simulation"
)

// run carries a simulation out.
func run(t testing.TB, s *simulation.Simulation) *study.Result {
	t.Helper()
	r, err := s.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

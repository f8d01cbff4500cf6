package whatif

import (
	"fmt"
	"strings"
	"testing"

	"revopt/internal/budget"
	"revopt/internal/fixture"
)

// TestChangesAskForTheirOwnMemory: a change has one run, so that the memory of many changes grows as their
// number and not as its square.
func TestChangesAskForTheirOwnMemory(t *testing.T) {
	const pools = 60
	var list, classes strings.Builder
	for i := range pools {
		fmt.Fprintf(&list, "  - {name: p%d, units: 8}\n", i)
		fmt.Fprintf(&classes, "  - {name: c%d, pool: p%[1]d, rate: 0.001, length: {mean: 900, sd: 100}, price: 1}\n", i)
	}
	s := fixture.Opened(t, "pools:\n"+list.String()+"classes:\n"+classes.String()+"simulation: {jobs: 20, replications: 2}\n")
	changes, err := ParseChanges(s, "pools.*=+1")
	if err != nil {
		t.Fatal(err)
	}
	b := &budget.Budget{Memory: 100e6}
	w := &WhatIf{Subject: s, Changes: changes, Policy: &fixture.Named(t, "fcfs")[0]}
	if err := w.Open(b.Context(t.Context())); err != nil {
		t.Errorf("%d changes: %v", pools, err)
	}
}

package report

import (
	"slices"
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
)

// TestShownRunnable: of many policies a table of changes has the best, and the best that Slurm runs.
func TestShownRunnable(t *testing.T) {
	change := func(name, runsOn string, gain float64) whatif.ChangeResult {
		c := whatif.ChangeResult{Name: "policy=" + name, Choice: whatif.ChoicePolicy, Policy: name, RunsOn: runsOn}
		c.Simulation.Difference.Mean = metric.Number(gain)
		return c
	}
	r := &WhatIf{Result: &whatif.Result{
		Before: &whatif.ChangeResult{Policy: "easy", RunsOn: "slurm"}, Best: study.Best{Runnable: "c", Overall: "a"},
		Changes: []whatif.ChangeResult{change("d", "slurm", 1), change("c", "slurm", 2), change("b", "plugin", 3),
			change("a", "research", 4)},
	}}
	var got []string
	for _, c := range r.shown() {
		got = append(got, c.Policy)
	}
	if want := []string{"easy", "c", "a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

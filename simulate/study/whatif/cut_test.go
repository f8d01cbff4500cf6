package whatif

import (
	"context"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/warn"
)

// A fitted model predicts too much where deadlines are shorter than jobs. The formula is cut at the bound that is
// proven, and a warning says so.
func TestModelCut(t *testing.T) {
	s := fixture.Opened(t, `
trace: {file: sp2-like, jobs: last:120, nodes: 128}
load: 0.5
classes:
  - {name: tight, of: {share: 80%}, price: {per_unit_hour: 3}, deadline: {lengths: 0.5}, decay: {per_hour: 20%}, max_penalty: 0}
  - {name: rest, price: {per_unit_hour: 0.2}, deadline: {lengths: 3}, hard: 100%}
`)
	change, err := ParseChange(s, "trace.nodes=+16")
	if err != nil {
		t.Fatal(err)
	}
	w := &WhatIf{Subject: s, Policy: &fixture.Named(t, "easy")[0], Seed: 1, Replications: 2, Formula: true,
		Changes: []Change{change}}
	after, err := w.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	cut := func(w warn.Warning) bool { return w.Kind == warn.ModelCut && w.Numbers[0] > w.Numbers[1] }
	c := after.Changes[0]
	if c.Formula.After != c.Bound.After || c.Formula.Before != c.Bound.Before || !slices.ContainsFunc(after.Warnings, cut) {
		t.Errorf("formula %+v, bound %+v, warnings %v", c.Formula, c.Bound, after.Warnings)
	}
}

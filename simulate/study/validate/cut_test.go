package validate

import (
	"context"
	"slices"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
	"revopt/simulate/warn"
)

// A fitted model predicts too much where deadlines are shorter than jobs. The prediction is cut at the bound
// that is proven, in every replication, and a warning says so; so is the formula of a what-if.
func TestModelCut(t *testing.T) {
	s := fixture.Opened(t, `
trace: {file: sp2-like, jobs: last:120, nodes: 128}
load: 0.5
classes:
  - {name: tight, of: {share: 80%}, price: {per_unit_hour: 3}, deadline: {lengths: 0.5}, decay: {per_hour: 20%}, max_penalty: 0}
  - {name: rest, price: {per_unit_hour: 0.2}, deadline: {lengths: 3}, hard: 100%}
`)
	r, err := (&Validation{Subject: s, Policies: fixture.Named(t, "easy"), Seed: 1, Replications: 2}).Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	list := r.Validated.Bounds
	best := slices.IndexFunc(list, func(b study.BoundResult) bool { return b.Best })
	model := list[slices.IndexFunc(list, func(b study.BoundResult) bool { return b.Kind == study.Model })]
	for k, total := range model.Totals {
		if total > list[best].Totals[k] {
			t.Errorf("replication %d: %g $ is predicted, %g $ is possible", k, total, list[best].Totals[k])
		}
	}
	cut := func(w warn.Warning) bool { return w.Kind == warn.ModelCut && w.Numbers[0] > w.Numbers[1] }
	if model.Predicted == nil || !(*model.Predicted > model.Total) || !slices.ContainsFunc(r.Warnings, cut) {
		t.Errorf("%+v, warnings %v", model, r.Warnings)
	}
	change, err := whatif.ParseChange(s, "trace.nodes=+16")
	if err != nil {
		t.Fatal(err)
	}
	w := &whatif.WhatIf{Subject: s, Policy: &fixture.Named(t, "easy")[0], Seed: 1, Replications: 2, Formula: true,
		Changes: []whatif.Change{change}}
	after, err := w.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c := after.Changes[0]
	if c.Formula.After != c.Bound.After || c.Formula.Before != c.Bound.Before || !slices.ContainsFunc(after.Warnings, cut) {
		t.Errorf("formula %+v, bound %+v, warnings %v", c.Formula, c.Bound, after.Warnings)
	}
}

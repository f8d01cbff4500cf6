// Package paper reproduces the figures of the papers.
//
//	recipe -> built-in scenario + reading -> model, optimize or simulate/run -> plots.Picture
//
// A [Recipe] makes one figure (recipe.go). It chooses parameters and presents results;
// packages model, optimize and simulate do the mathematics. A [Reading] is one way to
// read a paper where its text is open: overrides of scenarios and options of policies
// (reading.go, readings.yaml).
//
// Figures of formulas are drawn from optima along a curve (model.go): utility.go,
// phase.go, oneclass.go, classes.go and cluster.go for the NIST paper. Figures that
// simulate have a plan: rows at every value of an axis (plan.go). Package simulate/run runs it (run.go) and keeps finished parts,
// so that an interrupted recipe goes on from there, see [Options]. Figures of one plan
// run it once when they are built with one [Shared]. They are in sectionvi.go for the
// NIST paper, and in libra.go, imprecise.go, pricing.go and sla.go. Plans under proven
// bounds are in bound.go.
//
// The claims of the papers are tests: a row of testdata/claims.csv and a check in
// claims_*_test.go. A new figure is one recipe and one line in the table of [Recipes].
package paper

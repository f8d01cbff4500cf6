// Package paper reproduces the figures of the papers.
//
//	recipe -> built-in scenario + reading -> model, optimize or study -> plots.Picture
//
// A [Recipe] makes one figure. It chooses parameters and presents results; packages
// model, optimize and simulate do the mathematics. Figures that simulate have a plan:
// rows at every value of an axis. Package simulate/study runs plans (run.go, and
// bound.go for proven bounds) and keeps finished parts, so that an interrupted recipe
// goes on from there, see [Options]. Figures of one plan run it once when they are
// built with one [Shared].
//
// A [Reading] is one way to read a paper where its text is open: overrides of scenarios
// and options of policies. The claims of the papers are tests: a row of
// testdata/claims.csv and a check in claims_*_test.go.
//
// A new figure is one recipe and one line in the table of [Recipes].
package paper

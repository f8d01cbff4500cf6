// Package paper reproduces the figures of the papers and decides their claims.
//
//	recipe -> built-in scenario + overrides -> model, optimize or study -> plots.Picture
//	claims.csv -> criterion -> figures under a reading -> verdict
//
// A [Recipe] makes one figure. It chooses parameters and presents results; packages
// model, optimize and simulate do the mathematics. Figures that simulate have a plan:
// rows at every value of an axis. Package simulate/study runs plans (run.go, and
// bound.go for proven bounds) and keeps finished parts, so that an interrupted recipe
// goes on from there, see [Options]. Figures of one plan run it once when they are
// built with one [Shared].
//
// A [Claim] is a row of claims.csv: a number, order or direction that a paper states,
// with the criterion that decides it on the numbers of figures. A [Reading] is one way
// to read a paper where its text is open: overrides of scenarios and options of
// policies. [Decide] decides all claims of a paper under all its readings.
//
// A new figure is one recipe and one line in the table of [Recipes]; a new claim is
// one row of data.
package paper

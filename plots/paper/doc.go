// Package paper reproduces the figures of the papers: one recipe for each,
// which says what it runs, which axes it draws and which claim of the text its
// numbers must show.
//
//	recipe -> built-in scenario + overrides -> model, optimize or study -> plots.Picture
//
// The mathematics is that of packages model and optimize, the simulator that of
// package simulate; a recipe only chooses parameters and presents results.
// Simulations are sweeps and validations of package simulate/study, which keeps
// finished parts: a recipe that was interrupted goes on where it was, see
// [Options]. Figures that show one sweep from several sides run it once when they
// are built with one [Shared]. The tests of this package check the claims on the
// numbers of the picture, never on its pixels. Where our numbers and the text of
// a paper differ, the result carries a remark that says so.
//
// A new figure is one recipe and one line in the table of [Recipes].
package paper

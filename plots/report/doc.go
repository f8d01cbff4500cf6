// Package report writes the results of package study: as text tables, CSV, JSON,
// sentences, figures and pages. Study returns facts; every sentence about them is
// made here.
//
//	study -> Fill (sentences) -> View: Table (text), Records (CSV), Facts (JSON)
//	                          -> Drawn (figures), Paged (HTML)
//	      -> Save, Load (files of facts)
//
// Words are by idea: verdict.go (what a change brings), fill.go and warning.go (warnings, and what
// intervals cover), promise.go, words.go (which policy to run, and the notes of a
// validation). The files that draw have the tag !js: a page that
// is compiled to WebAssembly has the words and the tables without package plots.
//
// Two kinds of bounds appear and are never mixed. A proven bound is a theorem
// about the jobs of a replication: no policy collects more on them. A model
// bound is the optimum of a queueing model: it predicts, and a policy may pass
// it. Efficiencies are shares of the clairvoyant bound only.
package report

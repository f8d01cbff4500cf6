// Package report writes the results of simulations as text tables, CSV, JSON, sentences, figures and pages. The
// packages of simulate return facts; every sentence about them is made here, in plots/wording, or beside it:
// plots/report/formula has the answers of the queueing model, plots/report/logs those about logs of jobs.
//
//	study.Result -> Fill (sentences) -> View: Table (text), Records (CSV), Facts (JSON)
//	                                 -> Pictures (figures), Page (HTML)
//	             -> Save, Load (files of facts)
//
// simulation.go and report.go (a validation) have the tables, words.go and promise.go the sentences below them;
// whatif.go and verdict.go say what a change brings, tune.go what tuning brings, contrast.go how two results differ,
// sweep.go what a sweep found, bench.go the standing in the benchmark. tidy.go reads tables again to plot them. The
// files that draw have the tag !js: a page that is compiled to WebAssembly has the words and the tables without
// package plots.
//
// Two kinds of bounds appear and are never mixed. A proven bound is a theorem about the jobs of a replication: no
// policy collects more on them. A model bound is the optimum of a queueing model: it predicts, and a policy may pass
// it. Efficiencies are shares of proven bounds: the clairvoyant one (see plan.BoundedPoint.Best), or, where words say
// so, the least one for policies of the same kind.
package report

// Package report writes the results of simulations as text tables, CSV, JSON, sentences, figures and pages. The
// packages of simulate return facts; every sentence about them is made here, in plots/wording, or beside it:
// plots/report/formula has the answers of the queueing model, plots/report/logs those about logs of jobs.
//
//	study.Result -> Fill (sentences) -> View: Table (text), Records (CSV), Facts (JSON)
//	                                 -> Pictures (figures), Page (HTML)
//	             -> Save, Load (files of facts)
//
// fill.go gives any result its sentences, save.go keeps it in a file.
//
//	simulation.go                a simulation; columns.go has columns that tables share, promise.go the promises
//	report.go                    a validation; headline.go, best.go, objective.go and words.go say what it found
//	affected.go                  groups of jobs before and after a change, and the words for harm
//	baseline.go                  how far the policy that stands for today is the site of a log
//	tune.go                      tuned settings; aim.go has the words for waits and slowdowns
//	contrast.go, sweep.go        two results side by side; the tables of a sweep
//	bench.go                     scores and standings of the benchmark
//	export.go                    what exported settings are, and whom they affect
//	tidy.go                      tables of files, read again to plot them
//	figure.go, price.go, page.go  figures and pages
//
// The files that draw have the tag !js: a page that is compiled to WebAssembly has the words and the tables without
// package plots.
//
// Two kinds of bounds appear and are never mixed. A proven bound is a theorem about the jobs of a replication: no
// policy collects more on them. A model bound is the optimum of a queueing model: it predicts, and a policy may pass
// it. Efficiencies are shares of proven bounds: the clairvoyant one (see plan.BoundedPoint.Best), or, where words say
// so, the least one for policies of the same kind.
package report

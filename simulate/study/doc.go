// Package study asks what scenarios earn, and returns facts.
//
//	scenario -> Subject (workload)
//	Plan: points x rows x replications -> Execution (cells) -> Samples -> facts
//
// A [Subject] is a scenario with its workload. A [Plan] is a grid of experiments as
// data: points (the scenario with overrides) x rows (a policy behind an admission) x
// replications, with a rule to stop, bounds and resampling. [Plan.Open] checks its
// points and cuts it into cells; a [Runner] runs the cells on this machine, in shards
// or on Slurm, and keeps them in a journal. [Samples] are the measures of every
// replication. All inference is functions of them: intervals in [Outcome], shares of
// bounds in [BoundedPoint].
//
// The questions build a plan and read its samples: [Simulation] (one point),
// [Validation] (with bounds), [WhatIf] (points that are changes), [Tune] (plans in rounds)
// and sweeps (many points, [ReadSweep]). [Solve], [SolveCurve] and the waits ask the queueing model.
// None of them makes a sentence: package report does.
//
// Callers hand in policies of their own as specs: see the example of [Simulation].
//
// The files in their order; nine of ten references between them point to a file before:
//
//	bidprice policy subject number warning          the scenario and its names
//	variates admission experiment outcome           one row: what runs, what it measures
//	plan providers analysis solve prices search promise control
//	                                                the plan, the model, searches
//	point budget stop execution boundcells   cells of a plan
//	samples bounds runner                           the yield of cells, and their runner
//	result simulation sweep admitted waits validation changes curve contrast whatif
//	keep knobs race tune
//	                                                questions and their facts
package study

// Package plan runs grids of experiments: one grid, one rule to stop, one journal.
//
//	Plan (points x rows x replications) -> Open -> Execution (cells) -> Runner -> Samples -> Outcome, BoundedPoint
//
//	plan.go        a Plan as data; its JSON is the identity of the work in a journal
//	sweep.go       plans of sweep files
//	open.go        plans of the rows of a question
//	point.go       a point of a plan, ready to run
//	execution.go   checks the points, cuts a plan into cells, estimates its memory
//	payload.go     what cells of bounds and findings hold, and their numbers in a journal
//	boundcells.go  the cells of bounds; objective.go those of waits and slowdowns
//	stop.go        the rule to stop
//	runner.go      runs cells on this machine, in shards or on Slurm, and keeps them in a journal
//	failed.go      policies that fail, and are left out
//	samples.go     the yield of the cells
//	outcome.go     the replications of a row and their intervals; served.go has the groups of jobs whose waits they keep
//	bounds.go      the rows of a point against its bounds
//	skewed.go      whether intervals of waits can be trusted
//
// [Outcome.Estimate] makes the intervals of rows. The arithmetic of intervals is in metric/interval.go, which other
// packages call too: compare (Welch), solve, quote, bench, experiment (promises) and plots/paper.
package plan

// Package run carries out experiments, keeps their numbers, and infers from them.
//
//	Case --Lab--> Experiment --> Sample --> Record --> Store --> Frame --> Series --> interval
//
// A [Case] is one deterministic computation as data: a policy on the jobs of a replication, a bound on these jobs, the
// value of the queueing model, or a search for an admission (case.go). Equal cases have equal records. Cases that
// differ in nothing but the replication are a row.
//
// A [Lab] runs cases of one scenario (lab.go). It opens the scenario of a case (point.go), finds the admission
// (admission.go) and simulates the policy (policy.go), bounds the value or the delay of the jobs (bound.go),
// or asks the model (model.go). A [Grid] is the cases of a sweep file (grid.go).
//
// An [Experiment] is what the kernel runs: a workload under a policy behind a [Gate], in one replication
// (experiment.go, gate.go). Refused jobs may go to further providers (providers.go), and the schedule of a log is a
// policy too (recorded.go). A [Sample] is what a replication adds up to, and groups of jobs are watched for
// their waits (jobgroups.go, waits.go). load.go says whether admitted jobs are more
// than the machine can serve, afford.go how much memory runs take.
//
// A gate that is given by name is computed from the model (models.go) or searched on the simulator, with
// other random numbers than the measurement (admissionsearch.go).
//
// A [Record] is the numbers of a case: columns by name, for each group of jobs (record.go). The columns of a policy are
// those of column.go. A number that does not exist has no column.
//
// A [Store] keeps records by the names of their cases, in memory or in a directory (store.go). Work that was
// interrupted goes on where it was, because known cases are not run again.
//
// A [Frame] is the records of some rows, and the only place of inference (frame.go); [Runs] are those of one row
// (runs.go). A [Series] is one number of every replication (series.go): differences, shares of bounds and sums are
// series too. An [Objective] says which number is compared, and whether less of it is better (objective.go). harm.go and
// affected.go say who is served worse by a row than by another. The rule to stop runs more replications until intervals
// are narrow (stop.go), and skewed.go says where intervals cover too rarely.
//
// A [Search] varies coordinates of a case, with random numbers of its own (race.go, search.go). Candidates keep the
// promises of the scenario (promise.go), harm nobody and run no fewer jobs (notrun.go).
package run

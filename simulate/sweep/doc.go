// Package sweep runs scenarios: a scenario, a policy, an admission and a seed
// make an Experiment, whose replications are independent of each other and of
// the number of workers. A [TraceExperiment] is the same for a trace, a
// [GridExperiment] for a grid.
//
// A study of many of them is a [Spec], read from a sweep file or made with
// [NewSpec], and a [Plan] is its cells. [Local] runs them on this machine,
// [Slurm] on a cluster; finished cells are kept in a journal and survive the
// death of the process. Anything else that is cut into independent cells is
// [Work] for the same [Engine].
package sweep

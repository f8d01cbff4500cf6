// Package sweep runs scenarios: a scenario, a policy, an admission and a seed
// make an Experiment, whose replications are independent of each other and of
// the number of workers. A [TraceExperiment] is the same for a trace.
package sweep

// Package sweep runs scenarios: a scenario, a policy, an admission and a seed
// make an Experiment, whose replications are independent of each other and of
// the number of workers.
package sweep

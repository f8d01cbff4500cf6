// Package experiment runs a workload under one policy behind one admission, and finds admissions that have to be found.
//
//	Workload + Policy + Admission -> Experiment -> Run -> Sample (one replication)
//
//	admission.go   what an admission is: probabilities, a rule, or a name to be computed
//	experiment.go  one replication: sites with policies, jobs, kernel, tally
//	providers.go   further providers, to which refused jobs go
//	variates.go    control variates of a stream
//	recorded.go    the schedule of a log as a policy
//	load.go        whether admitted jobs are more than the machine can serve
//	budget.go      memory and time of runs
//
// An admission that is given by name is computed from the model or searched on the simulator:
//
//	models.go      the admissions that the queueing model knows, each computed once
//	compute.go     from the name of an admission to its numbers
//	search.go      the search for the admission that earns most
//	thresholds.go  the search for limits on waiting jobs
//	promise.go     the search for an admission that keeps promises
//	prices.go      the search for prices
//
// A search draws other random numbers than the measurement.
package experiment

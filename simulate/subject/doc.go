// Package subject opens scenarios: a [Subject] is a scenario with its workload.
//
//	subject.go    Opener: document -> scenario -> trace, classes or grid -> Subject
//	outages.go    outages of the scenario and of the files that it names
//	prices.go     the same subject at other prices
//	pools.go      the parts of a machine, and the sections of jobs that have measures of their own
//	policy.go     policies with their options, as scenarios and commands name them
//	applying.go   the policies whose needs a workload meets
//	waiting.go    the log as it was recorded, to tell where its waiting comes from
//	tracefile.go  the file of a trace, as results name it
//
// No other package looks at how a scenario becomes a workload.
package subject

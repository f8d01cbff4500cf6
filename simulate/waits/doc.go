// Package waits tells where the waiting of a log comes from, without a simulation.
//
//	log.go      the jobs of a log, and what is known of its machine
//	parts.go    Decompose: the wait of each job as a sum of parts
//	sweep.go    the states of waiting jobs from event to event
//	outages.go  FindOutages: spans in which nothing started though jobs waited
//	limits.go   FindLimits: the most that an account, a user or a group may hold
//
// The package knows no format of a log: subject.Waiting makes a [Log] of a scenario with a trace.
package waits

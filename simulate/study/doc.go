// Package study has what questions share: estimates, warnings about a subject, the policy that reproduces a log best, and
// the words of command lines.
//
//	head.go       the head of every result
//	estimate.go   a mean with its interval
//	pools.go      pools and the jobs that they are offered
//	users.go      whether a trace has users
//	baseline.go   the log of a subject
//	now.go        which policy reproduces a log best
//	sample.go     the part of a log that these compare
//	warning.go    warnings about a subject and its policies
//	arguments.go  policies, admissions and values as command lines give them
package study

// Package bench scores policies and schedules on frozen instances with proven bounds.
//
// An instance is a scenario, a seed, an objective and its bounds. A family is ten of them with
// one scenario: a file of testdata/bench, which the program embeds. Its jobs are those of the
// first replication, and every one of them is followed to its end. docs/benchmark.md has the rules.
//
//	instance.go  Family, Instance: files -> scenarios with bounds
//	run.go       Run: policies on instances -> scores; also proves bounds again
//	check.go     the score of a schedule that any program has computed
//	found.go     a schedule that an offline search has found
//	schedule.go  the schedules of policies, in pieces
//	causal.go    whether a policy knows the future
//	means.go     means of a family with intervals
//	table.go     ranks of policies over many scores
//	scores.go    the best built-in policies
//	known.go     the best known schedules
//	trace.go     public traces, known by their text
package bench

// Package study has what the questions share: results, their rows and estimates, and the words of command lines.
//
// A question is a package below this one. It builds a plan, reads its samples and returns
// facts; none of them imports another:
//
//	simulation  what policies earn
//	validate    which share of the possible they earn, against proven bounds
//	whatif      what changes bring
//	tune        which settings of a policy earn most
//	quote       when a job will start
//	solve       the best admission of the queueing model, its curve, its waits
//	compare     one result against another
//
// Package request, beside them, is the only one that knows all: it answers commands and pages.
//
// The files:
//
//	head.go       the head of every result
//	result.go     Result, Row and Estimate, from samples; their JSON is the contract with scripts
//	json.go       the JSON of rows
//	pools.go      pools in results
//	users.go      rows of users
//	best.go       the policies that deliver most
//	baseline.go   how far a policy is the site of a log
//	now.go        which policy reproduces a log best
//	sample.go     the part of a log that these compare
//	warning.go    warnings about a subject and its policies
//	arguments.go  policies, admissions and values as command lines give them
//
// Results are facts. Sentences about them are made in plots/wording, plots/report and the packages below it; only
// errors have words of their own.
package study

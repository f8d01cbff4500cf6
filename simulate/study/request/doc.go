// Package request answers requests: a command and its settings as data.
//
// The command line fills a [Request] from flags, a page sends one as JSON. Both call the same
// functions, so the same request has the same facts.
//
//	request.go   Request, and the command line that asks the same
//	question.go  Question: a request with its scenario, read and opened
//	solve.go     solve, at one point, along a field, and waits: the queueing model
//	run.go       simulate and validate, and what all commands share that simulate
//	whatif.go    faults of a whatif that need no scenario
//	tune.go      tune
//	quote.go     quote
//
// The package imports the questions, which do not know each other. Output, journals and
// machines are no part of a request.
package request

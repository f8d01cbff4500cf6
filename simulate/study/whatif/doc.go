// Package whatif asks what changes of a scenario bring.
//
//	parse.go     the changes as they are typed
//	whatif.go    changes -> plan whose points are changes -> the state before and after each
//	compare.go   two states -> the facts of a change: money, bounds, waits; the difference is paired
//	harm.go      who pays for a change: jobs lost or kept away, customers that wait longer, promises
//	formula.go   the prediction of the queueing model, and the doubts about it
//	pays.go      in how many histories of weeks a change pays
//	cost.go      the costs of added units
//	grow.go      which pool should grow first
//	best.go      the policies that deliver most
//	baseline.go  how far the policy now is the site of a log
//	result.go    Result, whose JSON is the contract with scripts
//
// The sentences are in plots/report: verdict.go, pays.go, and harm.go about those who pay.
package whatif

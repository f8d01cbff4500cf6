// Package quote asks when a job will start.
//
//	quote.go  Quote: the state of a cluster and its past -> quantiles of the start of each job
//	run.go    simulates the state with drawn run times
//	learn.go  corrects quotes by the quotes before them
//	score.go  how good quotes were
//	naive.go  a forecast that they are compared with
package quote

// Package analytic sees a subject as the queueing model does, and finds the admission that earns most there.
//
//	Subject -> Analyze -> Analysis (classes, of a trace fitted ones) -> Best -> Solution
//
//	analysis.go   the classes of a scenario, or those fitted to its trace
//	pools.go      an analysis of each pool, and sums over pools
//	solution.go   the best static admission and its consequences
//	exact.go      solutions by the exact utility, and where it matters
//	prices.go     the subject at the prices that earn most
//	providers.go  further providers, each with the jobs that those before it refuse
//
// Plans use it to find admissions, package solve to answer questions. It runs no simulation.
package analytic

// Package metric turns what happens in a simulation into measures, and
// replications into confidence intervals.
//
// A [Tally] observes one run and sums up its jobs, by customer. A [Measure] is a
// number computed from such sums. [Replicate] runs independent replications
// side by side, [Estimate] gives the Student-t interval of a measure over them,
// [Difference] that of the paired difference between two policies on common
// random numbers.
//
//	tally.go      Tally: the sums of a run, by customer
//	histogram.go  quantiles of waits
//	measure.go    Measure: the list of all measures
//	replicate.go  replications on several workers
//	interval.go   the arithmetic of every interval: one sample, paired differences
//
// Further observers: records.go writes a line for every job, tails.go counts waits beyond given times, gantt.go
// keeps what a figure shows.
package metric

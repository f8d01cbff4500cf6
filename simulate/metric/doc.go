// Package metric turns what happens in a simulation into measures, and
// replications into confidence intervals.
//
// A [Tally] observes one run and sums up its jobs, by customer. A [Measure] is a
// number computed from such sums. [Replicate] runs independent replications
// side by side, [Estimate] gives the Student-t interval of a measure over them,
// [Difference] that of the paired difference between two policies on common
// random numbers.
package metric

// Package metric turns what happens in a simulation into figures of merit, and
// replications into confidence intervals.
//
// A [Tally] observes one run and sums up its jobs, by class. A [Figure] is a
// number computed from such sums. [Replicate] runs independent replications
// side by side, [Estimate] gives the Student-t interval of a figure over them,
// [Difference] that of the paired difference between two policies on common
// random numbers.
package metric

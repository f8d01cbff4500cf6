// Package model describes job classes that compete for a compute cluster and computes
// their waits and revenues by formulas.
//
// The model is the one of Marbukh and Mills, "On Maximizing Provider Revenue
// in Market-Based Compute Grids" (NIST): jobs of class s arrive as a Poisson
// stream of rate mu_s, are admitted with probability q_s, wait in a
// head-of-the-line (HOL) priority queue ordered by urgency, and pay a price
// that falls linearly with the wait. Equation numbers in this package are
// those of that paper.
//
// Everything here is a pure function of its arguments: no I/O, no globals and
// no randomness other than the generator a caller hands to Rand.
//
// Units are seconds, dollars and jobs per second throughout.
package model

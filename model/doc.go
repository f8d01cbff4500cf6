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
//
// The files, from what is stated to what follows:
//
//   - class.go, arrivals.go, utility.go, demand.go: a class, what it pays, and how many jobs come at which price.
//     pool.go, selector.go, spread.go, jobs.go, generated.go: values of scenarios that only simulations use.
//   - distribution.go, dist_*.go: lengths of jobs; complement.go, special.go: their transforms and special functions.
//   - system.go, residual.go: classes on a machine, and the conventions for T0.
//   - hol.go, revenue.go: mean waits and the revenue at an admission; oneclass.go: one class in closed form.
//   - waits.go, waitqueue.go: distributions of waits, by transforms (busyperiod.go) and their inversion (inversion.go);
//     erlang.go: the probability of a wait at many servers.
//   - exactrevenue.go: the revenue with graces and floors, which needs these distributions.
package model

// Package imprecise has the policies for jobs with optional parts: mandatory parts first, and the
// hard schemes.
//
// The flow: imprecise.go lists the schemes and runs them on one site or on a grid, whose router
// sends a job where it gains most; estimate.go computes that gain.
package imprecise

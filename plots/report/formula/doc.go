// Package formula reports the answers of the queueing model: the optimum of solve, curves and waits.
//
//	solve.Answer -> Answer (answer.go): table, CSV, JSON; Headline (headline.go): the answer in a few words
//	solve.Curve -> Curve (curve.go)
//	solve.WaitAnswer -> Waits (waits.go)
//
// The figures of curves and waits are in drawn.go, which is not compiled for pages.
package formula

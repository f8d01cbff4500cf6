// Package fit makes job classes out of a trace, so that the formulas for job
// classes can speak about it, and says where they will be far off.
//
//	jobs of a customer -> moments of widths (width.go), lengths, gaps and worth (value.go) -> classes -> scenario
//
//	fit.go     Jobs: classes of the jobs of a trace
//	width.go   distributions of widths
//	value.go   price, grace and cost of delay
//	report.go  doubts; the classes as a scenario file; classes of the pools of a machine
package fit

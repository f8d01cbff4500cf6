// Package fit makes job classes out of a trace, so that the formulas for job
// classes can speak about it, and says where they will be far off.
//
//	jobs -> groups (a customer, or cluster.go) -> classes with lengths, widths (shape.go) and arrivals -> scenario
//
//	fit.go       Fit: classes of the jobs of a trace, and how well they fit
//	cluster.go   groups of jobs of similar length and width
//	shape.go     distributions of lengths and widths
//	arrivals.go  how irregular arrivals are; process.go chooses a process for them
//	warning.go   where the queueing model will be far off
//	report.go    the classes as a scenario file, and the fit in lines
package fit

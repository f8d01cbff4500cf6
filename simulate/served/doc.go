// Package served measures how groups of jobs are served, and tells who is harmed by a change.
//
// A Layout (layout.go) lists the groups: every customer, and four groups of width of every machine or pool. Its
// Observer (observer.go) watches a run and returns the Waits of each group. Compare (affected.go) sets those before a
// change against those after it, and Harmed picks the groups that the change harms.
package served

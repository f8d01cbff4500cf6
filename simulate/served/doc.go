// Package served measures how groups of jobs are served, and tells who is harmed by a change.
//
// A Layout lists the groups: every customer, and four groups of width of every machine or pool. Its Observer watches a
// run and returns the Waits of each group. Compare sets those before a change against those after it, and Harmed picks
// the groups that the change harms.
package served

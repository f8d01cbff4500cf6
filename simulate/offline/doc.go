// Package offline finds good schedules of jobs whose future is known. Every job runs once, without a stop, on nodes
// of its own. Such a schedule never delivers more than the optimum, as a bound is never below it.
//
// A schedule is made from a permutation of the jobs: one after the other is put at the first time at which it fits
// (serial schedule generation). The permutations of a search are the orders in which policies start the jobs, and
// some simple ones. A move takes a few jobs out of the schedule and puts them back in another order: one goes before
// others (insertion), or two change places (swap). A move that makes the schedule worse is kept with a probability
// that falls with the loss (simulated annealing, Kirkpatrick et al. 1983).
//
// The way of the data: jobs and the starts of policies -> schedules -> annealing, longer and longer -> the best starts.
//
//	job.go       Job: what it loses by its start
//	timeline.go  how many nodes are free over time
//	schedule.go  which job starts when
//	move.go      a move, and the way back
//	search.go    Search: which schedule is annealed, how long and how hot
package offline

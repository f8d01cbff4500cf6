// Package steer orders the queue of a real Slurm as a policy would, by the site factors of its jobs.
//
// slurm.go reads the queue, the priorities and the configuration through the programs of Slurm, and sends changes.
// order.go asks the policy for the order of the jobs that wait. pass.go finds which jobs are to get other factors, and
// place.go which: as few as possible. predict.go says what that brings. apply.go makes the changes, in a loop, and
// restores them. journal.go is the record of everything that steer does, from which it is undone and priced. advise.go
// compares steering with the best static rule.
package steer

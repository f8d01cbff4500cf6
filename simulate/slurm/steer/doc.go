// Package steer orders the queue of a real Slurm as a policy would, by the site factors of its jobs.
//
// journal.go is the record of everything that steer does, from which it is undone and priced.
package steer

// Package policy holds the scheduling policies and the table of their specs.
//
// A [Spec] is a policy as scenarios and commands know it: its name, its options,
// its needs and how to make one. [Standard] lists those of revopt; a caller may
// hand in specs of its own wherever a policy is chosen. Needs alone say which
// policy runs on which workload.
//
// A policy with another order of the queue is a [Backfill] with another key.
package policy

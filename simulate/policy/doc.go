// Package policy holds the scheduling policies and the table of their specs.
//
// A [Spec] is a policy as scenarios and commands know it: name, options, needs and
// constructor. [Standard] lists the specs of revopt; callers may pass other specs
// wherever a policy is chosen. Only the needs decide which policy runs on which
// workload.
//
// A policy with another order of the queue is a [Backfill] with another key.
package policy

// Package policy has what all scheduling policies share, and the policies on dedicated processors.
//
// A [Spec] is a policy as scenarios and commands know it: name, options, needs and one function,
// Make, that returns the policies of a run. Only the needs decide which policy runs on which
// workload. [Queues] and [Values] list the specs of this package; the packages below it list
// theirs, and package catalog lists all of them.
//
// The flow: spec.go and where.go describe policies; specs.go lists them. dedicated.go has the terms of
// plans (estimates, overruns, posted prices) and predictor.go predicts run times. tree.go is the list
// under profile.go, the availability of processors over time, with gaps.go, which spares its searches
// branches without a place, and waiting.go, a long queue. outage.go puts outages into profiles. On
// these stand hol.go, backfill.go with its orders (orders.go) and conservative.go. The value policies are valuebf.go and
// index.go; preemption.go stops jobs for better ones. limit.go has the option longest_wait, which puts jobs that have
// waited for a time before all others.
//
// A policy with another order of the queue is a [Backfill] with another key.
package policy

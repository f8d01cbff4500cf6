// Package preempt has preemptive policies: D-over, and those that choose the running jobs anew at every
// decision and suspend the others, server filling and least attained service.
//
// The flow: preemptive.go lists the policies and has what the last two share, the jobs in an order by a
// key and the preemption of those that are not chosen; serverfilling.go and las.go choose. dover.go has
// jobs that preempt others one by one.
package preempt

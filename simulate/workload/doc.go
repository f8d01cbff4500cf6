// Package workload makes the jobs that a simulation serves.
//
// [Classes] are streams of jobs by class. A trace goes
//
//	Reader or SP2 -> Subset -> Cleaning -> Trace -> Jobs (delay factor, QoS)
//
// A [Reader] reads the Standard Workload Format, [SP2] generates records that
// resemble those of the SDSC SP2, a [Selection] says which of them are meant.
// [Load] reads a selection once and counts what cleaning does to it; every
// replication then gets [Jobs] of its own, with deadlines, budgets and
// penalties drawn as [QoS] says. [Summarize] describes a trace, [Fit] makes job
// classes of one.
package workload

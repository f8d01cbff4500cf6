// Package workload makes the jobs of a simulation, with their customers and values.
//
// A [Workload] is machines, customers and jobs. [Classes] draws the jobs from the
// customers, each with an arrival process ([NewArrivals]). [Replay] lays customers over
// the jobs of a trace, [Grid] has applications of several parts on several sites, and
// [Batch] is a batch. A [Site] is a machine with its outages and rented units, [Agents] are
// what makes them happen in a run, and [Pools] divide it. A trace goes
//
//	Reader or SP2 -> Part -> Cleaning -> Trace -> Replay
//
// A [Reader] reads the Standard Workload Format, [SP2] generates records that
// resemble those of the SDSC SP2, and a [Selection] is a part of a trace.
// [Load] reads a selection once and counts what cleaning does to it. [Summarize]
// describes a trace, [MeasureProfile] its week. [WriteSWF] writes one, from
// records or, with [AsRecords], from the jobs of any workload.
package workload

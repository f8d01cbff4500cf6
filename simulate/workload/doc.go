// Package workload makes the jobs of a simulation, with their customers and values.
//
// A [Workload] is machines, customers and jobs. [Classes] draws the jobs from the
// customers, each with an arrival process (newArrivals). [Replay] lays customers over
// the jobs of a trace, [Grid] has applications of several parts on several sites, and
// [Batch] is a batch. A [Site] is a machine with its outages, [Agents] are
// what makes them happen in a run, and [Pools] divide it. A trace goes
//
//	Reader or SP2 -> Part -> Cleaning -> Trace -> Replay
//
// A [Reader] reads the Standard Workload Format, [SP2] generates records that
// resemble those of the SDSC SP2, and a [Selection] is a part of a trace.
// [Load] reads a selection once and counts what cleaning does to it. [Summarize]
// describes a trace, measureProfile its week. [WriteSWF] writes one, from
// records or, with [AsRecords], from the jobs of any workload.
//
// workload.go has the interface, site.go the machine with down.go. classes.go with arrivals.go draws jobs.
// replay.go with replaypools.go, customers.go and qos.go lays customers over a trace; resample.go draws other spans of
// it. grid.go has grids, batch.go a batch. pools.go divides customers and machine. For traces, lines.go and format.go
// read files, swf.go records, selection.go parts, clean.go cleans, trace.go keeps, summary.go describes; sp2like.go
// and ailike.go generate records, and pilot.go computes their mean load.
package workload

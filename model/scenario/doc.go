// Package scenario reads scenario files: a cluster, the load offered to it
// and the job classes that make up the load, or a machine and a trace of jobs,
// written in YAML. It turns them into the types of package model and reports
// whatever is wrong with them as file:line:column.
//
// The way of a file is
//
//	bytes -> guard -> YAML parser -> tree -> overrides -> decoder -> Scenario
//
// The guard refuses what is not text, too large, nested too deeply, or uses
// the parts of YAML that a scenario has no need of (anchors, tags, several
// documents). The tree keeps the position of every value. Overrides change
// the tree and not the decoded scenario, so a value given on the command line
// passes the same checks as one in the file. The decoder has one file per
// section.
//
// # Values
//
// Times are seconds; 90s, 15m, 2h, 182d and 1w are read too. Where a fraction
// is meant (share, load, warmup, level, of_price, weights) 10% is read as 0.1.
//
// # Load, shares and rates
//
// A scenario gives a load and, for every class, a share of the arriving jobs.
// The total arrival rate is then
//
//	load * nodes / sum_s share_s E[length_s] E[width_s]
//
// or it gives every class a rate in jobs per second and no load. A server of
// `parallel: n` counts as n nodes and jobs of width 1. A scenario of one class
// may leave the share out.
//
// The load is that of the machine and the jobs of the file. Overrides of nodes,
// lengths and widths leave the total of arrivals as the file makes it, overrides
// of shares mix it anew; only an override of the load itself states it for the
// scenario as overridden. Growth multiplies arrivals after that.
//
// # Traces and grids
//
// A document with a section trace has a trace of jobs in place of a server, and
// its classes say which jobs are whose and what they are worth. A document with
// sites is a grid. [Document.Scenario] decodes every kind. The caller hands in
// the policies it knows, so that a misspelled one is reported with its position.
// Paths are relative to the scenario file, or to the working directory where an
// override gives them.
//
// # Overrides
//
// An override is a path and a value, such as load=0.9, classes.HvHu.decay=3,
// classes.0.price=5 or classes.HvHu.length.mean=2h. Elements of a list are
// addressed by their name or by their index from 0, missing optional fields
// are created, and the value is read as YAML. Some overrides look at what the
// file says:
//
//   - Overriding the share of exactly one class scales the shares of the
//     others in proportion, so that they still sum to 1. Where several shares
//     are overridden nothing is scaled.
//   - Overriding load where classes give rates scales all rates in proportion.
//   - Of simulation.jobs and simulation.horizon, of grace and deadline, and of
//     load and trace.arrival_delay_factor, overriding one drops the other.
package scenario

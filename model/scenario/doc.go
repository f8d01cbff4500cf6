// Package scenario reads and writes scenario files in YAML: a cluster, the load offered
// to it and the job classes that make up the load; or a machine and a trace of jobs; or
// a grid. It turns them into the types of package model. Errors have the form
// file:line:column: field: what was expected, what was given.
//
// A file passes through
//
//	bytes -> guard -> YAML parser -> tree -> overrides -> tables -> Scenario
//
// The guard refuses files that are no text, too large or nested too deeply, and the
// parts of YAML that scenarios do not use (anchors, tags, several documents). The tree
// has the position of every value. Overrides change the tree, so a value of the command
// line passes the same checks as one of the file. A [table] lists the fields of a
// mapping; each row reads and writes one field. A new field is one new row.
//
// document.go has this way, yaml.go the guard and the parser, tree.go the tree, override.go and change.go the
// overrides, table.go the tables, with decode.go and encode.go to read and write them and quantity.go for numbers.
// scenario.go is the whole. The other files are its sections: class.go, arrivals.go, demand.go, load.go, trace.go,
// customers.go, grid.go, pools.go, providers.go, policies.go, outages.go. kept.go keeps the parts of a file that overrides
// leave as they are. sweepfile.go reads sweep files. error.go and warning.go are what may be said of a file.
//
// # Values
//
// Times are seconds; 90s, 15m, 2h, 182d and 1w are read too. For a fraction (share,
// load, warmup, level, of_price, weights) 10% is read as 0.1.
//
// # Load, shares and rates
//
// A scenario gives a load and, for every class, a share of the arriving jobs. The total
// arrival rate is then
//
//	load * nodes / sum_s share_s E[length_s] E[width_s]
//
// Or it gives every class a rate in jobs per second and no load. A server of
// `parallel: n` counts as n nodes and jobs of width 1. A scenario with one class needs
// no share.
//
// The load refers to the machine and the jobs of the file. Overrides of nodes, lengths
// and widths leave the total arrival rate as it is, and overrides of shares divide it
// anew; only an override of the load refers to the overridden scenario. Growth then
// multiplies the arrivals.
//
// # Traces and grids
//
// A document with a section trace has a trace of jobs instead of a server; its classes
// select jobs and state what they pay. A document with sites is a grid.
// [Document.Scenario] decodes every kind. The caller passes the policies that it knows,
// so that a misspelled one is reported with its position. Paths are relative to the
// scenario file, those of overrides to the working directory.
//
// # Pools
//
// Pools divide the machine of job classes or of a trace. The load is over the units of
// all pools together. [Scenario.InPool] returns one pool alone.
//
// # Overrides
//
// An override is a path and a value, such as load=0.9, classes.HvHu.decay=3,
// classes.0.price=5 or classes.HvHu.length.mean=2h. Elements of a list are addressed by
// name or by index from 0, missing optional fields are created, and the value is read
// as YAML. Some overrides depend on the file:
//
//   - Overriding the share of exactly one class scales the shares of the others in
//     proportion, so that they still sum to 1. Several overridden shares scale nothing.
//   - Overriding load scales all rates in proportion if the classes give rates.
//   - simulation.jobs and simulation.horizon exclude each other, as do grace and
//     deadline, and load and trace.arrival_delay_factor: overriding one drops the other.
package scenario

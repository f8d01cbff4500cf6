// Package workdir keeps the results of work in a directory: lines with check sums that survive the death of the process,
// and are never mixed with those of other work or of another build of the program. The work may be cut into shards,
// which run on Slurm.
//
//	shard.go      Shard: a part of the work
//	directory.go  a directory of journals, one for each shard, with its lock
//	journal.go    Journal: lines with check sums, appended; a damaged line is dropped, and what it held is computed again
//	build.go      the program that wrote a journal
//	slurm.go      Slurm: shards as array jobs, submitted again until all are finished
//
// The package knows nothing of what lines hold; a store of simulate/run does.
package workdir

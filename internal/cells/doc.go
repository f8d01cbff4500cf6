// Package cells runs work that is cut into cells: pure functions of a number,
// independent of each other and of the number of workers. An [Engine] runs them
// on the cores of this machine, [Slurm] on a cluster. Finished cells are kept in
// a [Journal], survive the death of the process, and are never mixed with those
// of other work or of another build of the program.
//
// The package knows nothing of what the cells compute.
//
//	cells.go      Work, and Staged work, of which some cells wait for others
//	engine.go     Engine: the cells that are not finished, the longest first
//	slurm.go      Slurm: shards as array jobs, submitted again until all are finished
//	directory.go  a directory of journals, one for each shard, with its lock
//	journal.go    Journal: lines with check sums, appended; a damaged line is dropped and its cell run again
//	build.go      the program that wrote a journal
//	results.go    the numbers of the cells that are finished, from all journals of a directory
package cells

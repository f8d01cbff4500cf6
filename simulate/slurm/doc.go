// Package slurm speaks with the batch schedulers of clusters, Slurm above all.
//
// [Import] turns an accounting log (sacct, jobcomp or PBS) or a trace out of
// order into records of a trace. [LogReplay] compares the starts of a log with
// those that a policy would make. [Export] writes an admission for Slurm: a
// job_submit.lua, priorities as QOS, and a page that says how to install them.
package slurm

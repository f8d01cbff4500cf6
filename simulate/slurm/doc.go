// Package slurm speaks with the batch schedulers of clusters, Slurm above all.
//
// [Import] turns an accounting log (sacct or PBS) or a trace out of order into
// records of a trace. [Export] writes an admission for Slurm: a job_submit.lua,
// priorities as QOS, and a page that says how to install them.
//
// Logs in: import.go reads a log line by line (sacct.go, pbs.go, csv.go; clock.go for times, units.go for
// sizes) into events of jobs (job.go), settle.go brings those of a job together, fate.go counts what became of lines,
// header.go and pools.go write the head of the trace, machine.go decides on the pools. recognize.go says what a file looks
// like that is no log.
//
// State in: conf.go has the settings of slurm.conf, accounts and QOS (package conf reads lines and rows), outages.go nodes
// that are down.
//
// Settings out: export.go with exportpools.go and lua.go writes an admission. order.go finds the settings under which Slurm
// makes the schedule of a policy, by priorities of accounts and users (associate.go) or of QOS (qos.go); package weight
// chooses the weights. rule.go writes the settings, with the shell scripts of package script.
package slurm

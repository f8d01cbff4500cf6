// Package steered asks what steering the queue of a real Slurm has earned.
//
//	steered.go  Question: a journal of steer -> its jobs, priced as they ran and as simulated under other rules
//	open.go     Open: files and labels -> Question
//	log.go      starts and ends by sacct
//	journal.go  the jobs of a journal, with their starts and lengths
//	history.go  these jobs as a workload
package steered

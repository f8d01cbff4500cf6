// Package steered asks what a real Slurm whose queue was steered has delivered.
//
//	steered.go  Question: a journal of steer -> its jobs, priced as they ran
//	open.go     Open: files -> Question
//	log.go      starts and ends by sacct
//	journal.go  the jobs of a journal, with their starts and lengths
package steered

// Package causal tests whether a policy knows the future.
//
// A site knows of a job what its user stated, and how long it has run so far. It knows the run time when the job has
// ended. So what a policy has decided by a time t does not depend on how long the jobs that have not ended run, nor on the
// jobs that come later. [Check.Run] runs a policy on random jobs, takes a time t, changes all that no site knows at t,
// and runs it again: everything before t must be as it was.
//
//	causal.go   Check: a policy -> the first decision that differs, or none
//	jobs.go     random jobs, and the same jobs with another future
//	history.go  what happened to each job
//
// The test cannot prove that a policy is causal. A policy that looks at run times often enough to gain by it is found
// within a few cuts.
package causal

// Package slurm is the link to the Slurm scheduler: the replay of its logs
// against a policy, and the export of an admission as a job_submit.lua with
// priorities.
package slurm

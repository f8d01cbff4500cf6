// Package slurm has Slurm's own rules as a policy: multifactor priority, backfilling, fair share,
// limits, and preemption by QOS.
//
// The flow: options.go reads the settings of slurm.conf and sacctmgr. slurm.go decides as slurmctld
// does: main scheduler, then backfilling in pass.go, with the free processors over time of plan.go.
// Both ask priority.go for the order of the queue, with fairshare.go for usage, limits.go for jobs
// that must wait, and preempt.go for jobs that give way.
package slurm

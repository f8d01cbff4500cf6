package slurm

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate/policy"
)

// logQueue is the jobs that wait in a log at a time. Going to another time changes only the
// jobs that came or left in between, so that times nearby are cheap.
type logQueue struct {
	nodes   int
	jobs    []LoggedJob   // by submission
	leaving []int         // all jobs, by the last time at which they wait
	came    int           // jobs submitted by the time
	left    int           // jobs that wait no more
	queued  []bool        // by job
	waiting []int         // by submission; not used with a trial
	trial   *policy.Trial // of the policy, has the jobs; may be nil
}

func newLogQueue(nodes int, jobs []LoggedJob, trial *policy.Trial) logQueue {
	q := logQueue{nodes: nodes, jobs: jobs, trial: trial, queued: make([]bool, len(jobs))}
	for i := range jobs {
		q.leaving = append(q.leaving, i)
	}
	slices.SortStableFunc(q.leaving, func(a, b int) int { return cmp.Compare(jobs[a].waits(), jobs[b].waits()) })
	return q
}

// waits returns the last time at which the job waits.
func (j *LoggedJob) waits() float64 {
	if math.IsNaN(j.Start) {
		return math.Nextafter(j.End, math.Inf(-1))
	}
	return j.Start
}

func (q *logQueue) follow(at float64) {
	for ; q.came < len(q.jobs) && q.jobs[q.came].Submit <= at; q.came++ {
		q.put(q.came, at)
	}
	for ; q.came > 0 && q.jobs[q.came-1].Submit > at; q.came-- {
		q.put(q.came-1, at)
	}
	for ; q.left < len(q.jobs) && q.jobs[q.leaving[q.left]].waits() < at; q.left++ {
		q.put(q.leaving[q.left], at)
	}
	for ; q.left > 0 && q.jobs[q.leaving[q.left-1]].waits() >= at; q.left-- {
		q.put(q.leaving[q.left-1], at)
	}
}

// put queues a job if it waits at a time, and else removes it.
func (q *logQueue) put(k int, at float64) {
	q.set(k, q.jobs[k].Submit <= at && q.jobs[k].waits() >= at)
}

func (q *logQueue) set(k int, waits bool) {
	if q.queued[k] == waits || q.jobs[k].outage {
		return
	}
	q.queued[k] = waits
	job := q.jobs[k].job()
	job.ID = int64(k)
	i := 0
	if q.trial == nil {
		i, _ = slices.BinarySearch(q.waiting, k)
	}
	switch {
	case q.trial == nil && waits:
		q.waiting = slices.Insert(q.waiting, i, k)
	case q.trial == nil:
		q.waiting = slices.Delete(q.waiting, i, i+1)
	case job.Width > q.nodes: // the policy refuses it
	case waits:
		q.trial.Wait(&job)
	default:
		q.trial.Leave(&job)
	}
}

// submitted reports whether the next job, the first that has not come, is submitted by a time.
func (q *logQueue) submitted(next int, at float64) bool {
	return next < len(q.jobs) && q.jobs[next].Submit <= at
}

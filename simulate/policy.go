package simulate

// Source yields jobs in order of submission. Next fills the upper part of j
// and reports whether there was another job.
type Source interface {
	Next(j *Job) (ok bool, err error)
}

// Slice returns a source of the given jobs, which are in order of submission.
func Slice(jobs []Job) Source { return &slice{jobs} }

type slice struct{ left []Job }

// Next implements Source.
func (s *slice) Next(j *Job) (bool, error) {
	if len(s.left) == 0 {
		return false, nil
	}
	*j, s.left = s.left[0], s.left[1:]
	return true, nil
}

// Policy decides which jobs a cluster takes on, in which order and where they
// run. A policy belongs to one cluster of one run.
//
// A policy that holds files or processes opens them at its first job and is an io.Closer.
// Close is called when the run is over. It may be called more than once, and by another
// goroutine while the policy decides, if the run is to end early.
type Policy interface {
	// Arrive takes note of a job that was just submitted. It may reject it
	// or start it; a policy that waits for Schedule sees all simultaneous
	// arrivals first.
	Arrive(c *Cluster, j *Job)
	// Schedule is called once after everything that happened at one instant.
	Schedule(c *Cluster)
}

// Timed is a policy that sets timers on jobs with [Cluster.Timer].
type Timed interface {
	Policy
	// Timer is called in the wake phase when the timer of j has run out.
	Timer(c *Cluster, j *Job)
}

// Leaver is a policy whose waiting jobs may give up at their time of expiry. Every
// policy that lets jobs wait must be one, unless no job of its workloads expires.
type Leaver interface {
	Policy
	// Leave is called in the expiry phase when j, which waits here, gives up. The
	// policy only removes it from its queue.
	Leave(c *Cluster, j *Job)
}

// Finisher is a policy that is told when its jobs have ended.
type Finisher interface {
	Policy
	// Finish is called in the completion phase when the last task of j is
	// done, before observers see it.
	Finish(c *Cluster, j *Job)
}

// Sharing says how fast each task on a node advances.
type Sharing interface {
	// SetRates sets the Rate of every task of n, whose work left is up to
	// date. It is called when the list of tasks changed, and at the time it
	// asked for with [Node.ReviewAt] or [Node.ReviewSpent].
	SetRates(n *Node, now float64)
}

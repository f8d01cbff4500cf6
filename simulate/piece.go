package simulate

// Piecemeal is a policy that runs a job in pieces, which it places, takes back
// and resumes elsewhere. The job ends when the policy returns it.
type Piecemeal interface {
	Policy
	Sharing
	// Done is called in the completion phase when a piece is finished. Schedule
	// decides later.
	Done(c *Cluster, t *Task)
}

// Place runs a piece of a job, of the given work at rate 1 on the given node.
// The note identifies the piece to the policy. The first piece starts the job, which may
// have any number of pieces at a time, on any nodes.
func (c *Cluster) Place(j *Job, node int, work float64, note [2]float64) {
	if c.piecemeal == nil {
		panic("simulate: the policy has no Done method")
	}
	first := j.state == waiting
	if first {
		c.begin(j)
		j.pieces = true
	}
	n := c.Node(node)
	n.touch()
	if len(n.Tasks) == 0 {
		c.free--
	}
	j.tasks++
	n.Tasks = append(n.Tasks, Task{
		Job: j, left: work, work: work, Estimate: work,
		Due: j.Submit + j.Value.Due, Allowed: j.Value.Due, Hard: j.Value.Hard,
		Note: note, class: int32(j.Class),
	})
	if first {
		c.kernel.observer.Start(c, j, c.kernel.now)
	}
}

// Withdraw stops task i of a node, a piece, and returns its remaining work. The order of
// the other tasks stays.
func (c *Cluster) Withdraw(node, i int) (left float64) {
	n := c.Node(node)
	n.touch()
	t := n.Tasks[i]
	if !t.Job.pieces {
		panic("simulate: only pieces can be withdrawn")
	}
	t.Job.tasks--
	t.Job.given += t.work - t.left
	n.Tasks = append(n.Tasks[:i], n.Tasks[i+1:]...)
	if len(n.Tasks) == 0 {
		c.free++
	}
	return max(t.left, 0)
}

// Return ends a job that was run in pieces. No piece may be running.
func (c *Cluster) Return(j *Job) {
	if j.state != running || !j.pieces || j.tasks > 0 || j.site != c {
		panic("simulate: job returned that does not run in pieces here, or still does")
	}
	c.cancelTimer(j)
	c.kernel.complete(j)
}

// finished books a piece that is done.
func (c *Cluster) finished(t *Task) {
	t.Job.tasks--
	t.Job.given += t.work - t.left
	c.piecemeal.Done(c, t)
}

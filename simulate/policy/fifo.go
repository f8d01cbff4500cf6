package policy

import "revopt/simulate"

// fifo serves jobs on dedicated processors strictly in order of arrival.
type fifo struct {
	queue simulate.Queue
}

// NewFIFO returns first come, first served on dedicated processors: while the
// job that came first does not fit, nothing starts. Nobody looks at deadlines,
// nor at estimates but for the price. A job wider than the cluster is rejected.
//
// It differs from NewFCFS in the money: jobs pay as under EASY, and none gives
// up.
func NewFIFO() simulate.Policy { return new(fifo) }

// Arrive implements simulate.Policy.
func (f *fifo) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if _, ok := (Terms{}).take(c, j); ok {
		c.Admit(j)
		f.queue.Push(j)
	}
}

// Schedule implements simulate.Policy.
func (f *fifo) Schedule(c *simulate.Cluster) {
	for j := f.queue.Head(); j != nil && j.Width <= c.Free(); j = f.queue.Head() {
		f.queue.Remove(j)
		Terms{}.start(c, j)
	}
}

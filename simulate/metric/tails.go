package metric

import "revopt/simulate"

// Tails is an observer that counts how many measured jobs of each class waited
// longer than given times, and by how much.
type Tails struct {
	at      []float64
	classes []tail
}

type tail struct {
	started int64
	wait    float64
	longer  []int64
	excess  []float64
}

// NewTails returns an observer of waits longer than each of the times at.
func NewTails(classes int, at []float64) *Tails {
	t := &Tails{at: at, classes: make([]tail, classes)}
	for i := range t.classes {
		t.classes[i] = tail{longer: make([]int64, len(at)), excess: make([]float64, len(at))}
	}
	return t
}

// Observe implements simulate.Observer.
func (t *Tails) Observe(e simulate.Event) {
	if e.Kind != simulate.Started || !e.Job.Measured {
		return
	}
	c, wait := &t.classes[e.Job.Class], e.Time-e.Job.Submit
	c.started++
	c.wait += wait
	for k, at := range t.at {
		if wait > at {
			c.longer[k]++
			c.excess[k] += wait - at
		}
	}
}

// Mean returns the mean wait of a class; NaN where no job of it started.
func (t *Tails) Mean(class int) float64 {
	return t.classes[class].wait / float64(t.classes[class].started)
}

// Tail returns the share of a class's jobs that waited longer than the k-th
// time; NaN where none started.
func (t *Tails) Tail(class, k int) float64 {
	return float64(t.classes[class].longer[k]) / float64(t.classes[class].started)
}

// Excess returns the mean of (wait - time)^+ for the k-th time; NaN where no
// job of the class started.
func (t *Tails) Excess(class, k int) float64 {
	return t.classes[class].excess[k] / float64(t.classes[class].started)
}

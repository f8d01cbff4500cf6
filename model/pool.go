package model

// Pool is a part of the machine with units of its own: a partition, or the GPUs. A job
// runs in one pool and takes so many of its units. Pools never share units.
type Pool struct {
	Name     string
	Units    int
	Unit     string    // the word for one unit, such as core, node or gpu
	Of       *Selector // jobs of a trace that go there; nil: all that are left
	Overflow *Overflow // nil: jobs stay
}

// Overflow moves a job that still waits in its pool after some time to another pool.
type Overflow struct {
	To    string  // the name of a pool
	After float64 // s since the job came to its pool
}

// Terms are the price and the promise of a customer in one pool, where they differ
// between pools.
type Terms struct {
	PerNodeSecond float64 // $ per unit of the pool and second
	SLO           *SLO    // nil without a promise
}

// In returns the class with its price and promise in a pool, given by its index.
func (c Class) In(pool int) Class {
	if c.Terms != nil {
		c.Price.PerNodeSecond, c.SLO, c.Terms = c.Terms[pool].PerNodeSecond, c.Terms[pool].SLO, nil
	}
	return c
}

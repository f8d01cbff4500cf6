package simulate

// Pools makes the sites of a run the pools of one machine. A job runs in the pool of its
// class, and the admission sees that site only. Pools share nothing, and their policies
// do not know of each other.
type Pools struct {
	Site []int // by class; negative: no pool takes its jobs, which are rejected for NoPool
}

// home returns the site of a job that was just submitted, nil if no pool takes it.
func (p *Pools) home(k *kernel, j *Job) *Cluster {
	if i := p.Site[j.Class]; i >= 0 {
		return k.sites[i]
	}
	return nil
}

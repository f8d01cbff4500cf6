package slurm

import "revopt/simulate"

// Eager is the policy without the passes that are left out: every pass takes place.
type Eager struct{ *Slurmctld }

// Schedule implements simulate.Policy.
func (p Eager) Schedule(c *simulate.Cluster) {
	p.disturb()
	p.Slurmctld.Schedule(c)
	if at := p.passTime(p.passNumber(c.Now()) + 1); p.waiting > 0 && at < p.wake {
		p.wake = at
		c.WakeAt(at)
	}
}

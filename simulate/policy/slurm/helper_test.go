package slurm

import "revopt/simulate"

// SlurmPriority is the priority of a waiting job, as sprio prints it.
type SlurmPriority struct {
	Job      *simulate.Job
	Priority int64
}

// Priorities returns the waiting jobs in order at the given time.
func (p *Slurmctld) Priorities(now float64) (list []SlurmPriority) {
	p.calculate(now)
	p.judge()
	p.begin()
	for t := p.next(); t != nil; t = p.next() {
		list = append(list, SlurmPriority{t.job, p.priority(t)})
	}
	return list
}

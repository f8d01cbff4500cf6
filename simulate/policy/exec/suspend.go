package exec

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"revopt/internal/truth"
	"revopt/simulate"
)

// suspend stops running jobs, which keep their work and wait again from the next message on.
func (p *program) suspend(c *simulate.Cluster, list []*int64) (stopped []*simulate.Job, err error) {
	for _, suspended := range list {
		if suspended == nil {
			return nil, errors.New("suspension of null, " + expectedOf("suspend"))
		}
		id := *suspended
		j := p.running[id]
		switch {
		case j != nil && p.preempt:
		case !p.preempt:
			return nil, fmt.Errorf("suspension of job %d, but preempt is false", id)
		case slices.ContainsFunc(stopped, func(x *simulate.Job) bool { return x.ID == id }):
			return nil, fmt.Errorf("suspension of job %d, which the same reply suspends", id)
		default:
			return nil, fmt.Errorf("suspension of job %d, which does not run", id)
		}
		delete(p.running, id)
		p.busy -= j.Width
		c.Suspend(j, p.cost)
		stopped = append(stopped, j)
	}
	return stopped, p.progress(stopped)
}

// futility counts suspensions since a job last arrived or ended.
type futility struct {
	suspensions int
	since, left float64 // time of the first, and the work that was left then, s
}

const (
	idleSuspensions = 100_000 // in a row, after which there must be progress
	idlePace        = 10_000  // such rows of suspensions in which a job must end at the same pace
)

// progress is an error if suspensions in a row bring no job closer to its end: each may cost more time than a job ran.
func (p *program) progress(stopped []*simulate.Job) error {
	f := &p.futile
	if len(stopped) == 0 {
		return nil
	}
	left, least := 0.0, math.Inf(1)
	if first := f.suspensions == 0; first || f.suspensions+len(stopped) >= idleSuspensions {
		present := slices.Concat(stopped, slices.Collect(maps.Values(p.waiting)), slices.Collect(maps.Values(p.running)))
		slices.SortFunc(present, func(a, b *simulate.Job) int { return cmp.Compare(a.ID, b.ID) }) // one order of the sum
		for _, j := range present {
			left += j.Left(truth.Key{}, p.now)
			least = min(least, j.Left(truth.Key{}, p.now))
		}
		if first {
			*f = futility{since: p.now, left: left}
		}
	}
	f.suspensions += len(stopped)
	if f.suspensions < idleSuspensions {
		return nil
	}
	f.suspensions = 0
	if done := f.left - left; !(done*idlePace >= least) {
		return fmt.Errorf("%d suspensions in a row, from %.15g s to %.15g s, bring no job closer to its end",
			idleSuspensions, f.since, p.now)
	}
	return nil
}

package simulate

import (
	"fmt"
	"math"
)

// origin is what the kernel knows of a job with a number, on which others may depend.
type origin struct {
	known bool // it was submitted
	ended bool
	end   float64
	held  Queue // jobs that are not eligible before it has ended
}

// originate notes the submission of a job with a number.
func (k *kernel) originate(j *Job) {
	if int(j.Number) < len(k.origins) && k.origins[j.Number].known {
		k.fault(fmt.Errorf("simulate: job %d has number %d, as a job before", j.ID, j.Number))
	}
	for int(j.Number) >= len(k.origins) {
		k.origins = append(k.origins, origin{})
	}
	k.origins[j.Number] = origin{known: true}
}

// before returns the predecessor of a job, nil if it has none that was submitted before.
func (k *kernel) before(j *Job) *origin {
	if j.After <= 0 || j.After == j.Number || int(j.After) >= len(k.origins) || !k.origins[j.After].known {
		return nil
	}
	return &k.origins[j.After]
}

// eligible returns when a job that was submitted is eligible, +Inf while that is not known.
func (k *kernel) eligible(j *Job) float64 {
	switch p := k.before(j); {
	case p == nil:
		return j.Eligible
	case p.ended:
		return max(j.Eligible, p.end+j.Think)
	}
	return math.Inf(1)
}

// enter hands a job that its site has admitted to the policy there. A job that is not eligible yet is held: neither
// policies nor agents know of it, and it may give up. Recorded schedules hold no job.
func (k *kernel) enter(j *Job, c *Cluster) {
	if j.After == 0 && !(j.Eligible > k.now) || c.recorded {
		k.place(j, c)
		return
	}
	if !(j.Eligible <= math.MaxFloat64) || !(j.Think >= 0 && j.Think <= math.MaxFloat64) {
		k.fault(fmt.Errorf("simulate: job %d is eligible at %g, or %g s after another", j.ID, j.Eligible, j.Think))
	}
	at := k.eligible(j)
	if at <= k.now {
		k.place(j, c)
		return
	}
	j.state, j.site = held, c
	if p := k.before(j); p != nil && !p.ended {
		p.held.Push(j)
	}
	if j.expires() {
		at = min(at, j.Expire)
	}
	k.expectEligible(j, at)
}

// expectEligible puts the end of a hold on the agenda. The event of a job that depends on a running one is the expiry
// of the job, if it has any.
func (k *kernel) expectEligible(j *Job, at float64) {
	if at <= math.MaxFloat64 {
		k.events.push(max(at, k.now), arrival, ^j.slot, j.expiry)
	}
}

// release ends the hold of a job. One that is not eligible gives up, see place.
func (k *kernel) release(j *Job) {
	k.current = j.ID
	if p := k.before(j); p != nil && !p.ended {
		p.held.Remove(j)
	}
	c := j.site
	j.state, j.site, j.Eligible = waiting, nil, k.eligible(j)
	k.place(j, c)
}

// free notes the end of a job with a number, and says when the jobs that depend on it are eligible.
func (k *kernel) free(ending *Job) {
	p := &k.origins[ending.Number]
	p.ended, p.end = true, k.now
	for j := p.held.Head(); j != nil; j = p.held.Head() {
		p.held.Pop()
		at := max(j.Eligible, k.now+j.Think)
		if j.expires() && at >= j.Expire {
			continue
		}
		if j.expires() {
			j.expiry++
			k.stale++
		}
		k.expectEligible(j, at)
	}
}

// fault ends the run with an error of the source, after the instant. The first error counts.
func (k *kernel) fault(err error) {
	if k.err == nil {
		k.err = err
	}
}

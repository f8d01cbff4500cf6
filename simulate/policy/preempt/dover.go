package preempt

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// DOver is D-over, a preemptive policy. Use one per run. A decision takes time linear in the waiting and running jobs.
//
// When a job ends, the last privileged job resumes, unless the waiting job with the earliest deadline may preempt it
// by the same rule as a job that arrives. On several processors the jobs that a job preempts are privileged below it
// and resume when it has ended; at its latest start time it replaces running jobs each with the jobs below it.
//
// # Policy d-over
//
// Koren and Shasha (1995), preemptive without cost: jobs run by earliest deadline while all can be in time, and
// otherwise by value. Every deadline counts as hard.
//
// On one processor it is the algorithm of the paper. A job that arrives with an earlier deadline than the running job
// preempts it if that job, and all jobs preempted before, can still end in time; these jobs are privileged. Otherwise
// it waits. A waiting job takes the processor at its latest start time if
//
//	v > (1 + sqrt k) (v of the running job + v of all privileged ones)
//
// and the others then wait; otherwise it is abandoned. Let k be the ratio of the largest to the least value density
// (value per second; k=0: over the jobs seen so far), and run times be known. Then the value of the jobs in time is at
// least 1/(1 + sqrt k)^2 of the optimum with foresight, the best possible guarantee.
//
// On several processors, and for jobs of any width, the rules are the same without a guarantee. A job that fits
// starts. Otherwise it preempts running jobs that would still be in time, the latest deadlines first. At its latest
// start time it replaces the running jobs with the least value per processor. Densities count processor-seconds.
//
// A job that can no longer be in time is rejected, for deadline on arrival and for lapsed later. A preempted job is
// given up if its deadline is hard, and costs its max_penalty; a soft job resumes when its processors are not needed.
type DOver struct {
	policy.Terms
	K float64 // k; 0 is the ratio over the jobs so far

	least, most float64 // value densities of the jobs seen
	others      []*stint
	running     []*stint
	fresh       []*stint
	ended       []*stint        // since the last decision, with the jobs below them
	urgent      []*stint        // jobs at their latest start time
	free        int             // processors after this decision
	up          int             // processors, at the last decision
	profile     *policy.Profile // of one decision, if outages matter
}

func dOverSpec() policy.Spec {
	return policy.Spec{
		Name: "d-over", Title: "D-over", Summary: "earliest deadline first, preemptive; under overload by value",
		Options: append(policy.TermOptions(), policy.NumberOption("k", "0")),
		Needs:   policy.Needs{Alike: true, Preempts: true, Prices: true}, Cost: 1e-5,
		Make: policy.PerSite(func(s policy.Settings) simulate.Policy {
			return &DOver{Terms: s.Terms(), K: s.Number("k")}
		}),
	}
}

const (
	leastRun = 1e-3  // the least divisor of a value, s
	hair     = 1e-14 // the relative difference of time below which two moments are one
)

// stint is a job of DOver. A decision moves jobs between the lists first, and starts or
// preempts them last.
type stint struct {
	job      *simulate.Job
	estimate float64
	deadline float64 // time
	value    float64
	armed    bool    // the timer for its latest start time is set
	avail    float64 // s of delay that it, and the jobs below it, can bear
	since    float64 // time of preemption
	recent   float64 // value of the jobs below
	below    []*stint
}

// left returns the expected remaining run time of a job.
func (s *stint) left(now float64) float64 { return max(s.estimate-s.job.Served(now), 0) }

// laxity returns the time that a job can wait.
func (s *stint) laxity(now float64) float64 { return s.deadline - now - s.left(now) }

// Arrive implements simulate.Policy.
func (p *DOver) Arrive(c *simulate.Cluster, j *simulate.Job) {
	estimate, ok := p.Take(c, j)
	if !ok {
		return
	}
	value := j.Stated(estimate)
	deadline := value.Deadline(j.Submit)
	if policy.Before(deadline, c.Now()+estimate) {
		c.Reject(j, simulate.Deadline)
		return
	}
	s := &stint{job: j, estimate: estimate, deadline: deadline, value: max(value.Price, 0)}
	if density := s.value / (float64(j.Width) * max(estimate, leastRun)); density > 0 {
		p.most = max(p.most, density)
		if p.least == 0 || density < p.least {
			p.least = density
		}
	}
	p.fresh = append(p.fresh, s)
}

// Finish implements simulate.Finisher. On preempted processors the end is not
// known at the start.
func (p *DOver) Finish(c *simulate.Cluster, j *simulate.Job) {
	p.running = slices.DeleteFunc(p.running, func(s *stint) bool {
		if s.job == j {
			p.ended = append(p.ended, s)
		}
		return s.job == j
	})
	p.Charge(c, j)
}

// Stop implements simulate.Stopper. The jobs below it resume as if it had ended.
func (p *DOver) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	i := slices.IndexFunc(p.running, func(s *stint) bool { return s.job == j })
	s := p.running[i]
	p.running = slices.Delete(p.running, i, i+1)
	p.ended = append(p.ended, &stint{job: j, below: s.below})
	s.below, s.recent = nil, 0
	if again {
		s.estimate = j.Served(c.Now()) + p.RunTime(j)
		p.wait(s)
	}
}

// Unlimited implements simulate.Unlimited: jobs run by intervals that were set aside for them.
func (p *DOver) Unlimited() {}

// Leave implements simulate.Leaver.
func (p *DOver) Leave(_ *simulate.Cluster, j *simulate.Job) {
	is := func(s *stint) bool { return s.job == j }
	p.others = slices.DeleteFunc(p.others, is)
	p.fresh = slices.DeleteFunc(p.fresh, is)
	p.urgent = slices.DeleteFunc(p.urgent, is)
	for _, s := range slices.Concat(p.running, p.ended) {
		s.drop(j)
	}
}

// drop removes a job from the jobs below another. The jobs below it stay.
func (s *stint) drop(j *simulate.Job) {
	for i, r := range s.below {
		if r.job == j {
			s.below = append(slices.Delete(s.below, i, i+1), r.below...)
			s.recent -= r.value
			return
		}
		r.drop(j)
	}
}

// Timer implements simulate.Timed: the latest start time of a job has come.
func (p *DOver) Timer(_ *simulate.Cluster, j *simulate.Job) {
	s := p.others[slices.IndexFunc(p.others, func(s *stint) bool { return s.job == j })]
	s.armed = false
	p.urgent = append(p.urgent, s)
}

// Schedule implements simulate.Policy.
func (p *DOver) Schedule(c *simulate.Cluster) {
	now := c.Now()
	was := p.up
	p.free, p.up = c.Free(), c.Free()
	p.profile = policy.Outlook(c)
	for _, s := range p.running {
		p.book(s, -1)
		p.up += s.job.Width
	}
	if ended := len(p.ended) > 0; ended || p.up > was {
		p.goOn(now)
		p.fill(now, ended)
	}
	for _, s := range p.fresh {
		if !p.fits(s, now) && !p.preempt(s, now) {
			p.wait(s)
		}
	}
	p.fresh = p.fresh[:0]
	for _, s := range p.urgent {
		switch {
		case !slices.Contains(p.others, s): // it runs meanwhile
		case p.fits(s, now), p.replace(s, now):
			p.unlist(s)
		default:
			p.abandon(c, s)
		}
	}
	if len(p.urgent) > 0 {
		p.urgent = p.urgent[:0]
		p.fill(now, false)
	}
	p.apply(c)
}

// book takes the processors of a job out of the profile, or puts them back.
func (p *DOver) book(s *stint, sign int) {
	if p.profile != nil {
		now := p.profile.Now()
		p.profile.Release(now, now+s.left(now), sign*s.job.Width)
	}
}

// may reports whether the units that a job needs, in place of others, stay up until it is
// expected to end.
func (p *DOver) may(s *stint, others ...*stint) bool {
	if p.profile == nil {
		return true
	}
	for _, r := range others {
		p.book(r, 1)
	}
	ok := p.profile.Room(s.job.Width, s.left(p.profile.Now()))
	for _, r := range others {
		p.book(r, -1)
	}
	return ok
}

// goOn resumes the jobs below those that have ended, by deadline. Jobs that do not fit
// wait with the others.
func (p *DOver) goOn(now float64) {
	var all []*stint
	for _, s := range p.ended {
		all = append(all, s.below...)
	}
	p.ended = p.ended[:0]
	slices.SortFunc(all, compareStints)
	for _, s := range all {
		if s.job.Width <= p.free && p.may(s) {
			s.avail -= now - s.since
			p.run(s)
		} else {
			p.scatter(s)
		}
	}
}

// fill starts the waiting jobs that fit, by deadline. With preempt, the first job that
// does not fit may preempt others.
func (p *DOver) fill(now float64, preempt bool) {
	p.others = slices.DeleteFunc(p.others, func(s *stint) bool {
		if p.fits(s, now) {
			return true
		}
		try := preempt
		preempt = false
		return try && p.preempt(s, now)
	})
}

// fits runs a job if there are enough free processors.
func (p *DOver) fits(s *stint, now float64) bool {
	if s.job.Width > p.free || !p.may(s) {
		return false
	}
	s.avail = s.laxity(now)
	s.recent = 0
	s.below = nil
	p.run(s)
	return true
}

func (p *DOver) run(s *stint) {
	p.book(s, -1)
	p.free -= s.job.Width
	p.running = append(p.running, s)
}

func (p *DOver) stop(s *stint, now float64) {
	p.book(s, 1)
	s.since = now
	p.free += s.job.Width
	p.running = slices.DeleteFunc(p.running, func(r *stint) bool { return r == s })
}

// preempt runs a job instead of jobs with later deadlines that can wait for it, if there
// are enough.
func (p *DOver) preempt(s *stint, now float64) bool {
	left := s.left(now)
	victims := p.victims(s, func(r *stint) float64 { return -r.deadline }, func(r *stint) bool {
		return r.deadline > s.deadline && r.avail+16*hair*now >= left
	})
	if victims == nil {
		return false
	}
	avail, recent := s.laxity(now), 0.0
	for _, r := range victims {
		p.stop(r, now)
		avail = min(avail, r.avail-left)
		recent += r.value + r.recent
	}
	p.run(s)
	s.avail = avail
	s.recent = recent
	s.below = victims
	return true
}

// replace runs a job at its latest start time instead of others, if the rule of the value
// allows it.
func (p *DOver) replace(s *stint, now float64) bool {
	k := p.K
	if k == 0 && p.least > 0 {
		k = p.most / p.least
	}
	density := func(r *stint) float64 { return (r.value + r.recent) / float64(r.job.Width) }
	victims := p.victims(s, density, func(*stint) bool { return true })
	at := 0.0
	for _, r := range victims {
		at += r.value + r.recent
	}
	if victims == nil || !(s.value > (1+math.Sqrt(k))*at) {
		return false
	}
	for _, r := range victims {
		p.stop(r, now)
		p.scatter(r)
	}
	p.run(s)
	s.avail = 0
	s.recent = 0
	s.below = nil
	return true
}

// victims returns the running jobs with the least keys, among those that may be taken,
// that make room for a job; nil if there are not enough.
func (p *DOver) victims(s *stint, key func(*stint) float64, may func(*stint) bool) []*stint {
	var list []*stint
	for _, r := range p.running {
		if may(r) {
			list = append(list, r)
		}
	}
	slices.SortStableFunc(list, func(a, b *stint) int { return cmp.Compare(key(a), key(b)) })
	missing := s.job.Width - p.free
	for i, r := range list {
		missing -= r.job.Width
		if missing <= 0 && p.may(s, list[:i+1]...) {
			return list[:i+1]
		}
	}
	return nil
}

// scatter lets a job, and the jobs below it, wait with the others.
func (p *DOver) scatter(s *stint) {
	for _, r := range s.below {
		p.scatter(r)
	}
	s.below = nil
	p.wait(s)
}

// wait inserts a job into the sorted list of the others.
func (p *DOver) wait(s *stint) {
	at, _ := slices.BinarySearchFunc(p.others, s, compareStints)
	p.others = slices.Insert(p.others, at, s)
}

func (p *DOver) unlist(s *stint) {
	p.others = slices.DeleteFunc(p.others, func(o *stint) bool { return o == s })
}

// abandon gives up a job that cannot be in time.
func (p *DOver) abandon(c *simulate.Cluster, s *stint) {
	p.unlist(s)
	switch {
	case s.job.Waiting():
		c.Reject(s.job, simulate.Lapsed)
	case s.job.Value.Hard:
		c.Expire(s.job)
	default:
		s.deadline, s.value = math.Inf(1), 0
		p.wait(s)
	}
}

// apply preempts and starts jobs as decided, and sets timers for the latest start times
// of waiting jobs.
func (p *DOver) apply(c *simulate.Cluster) {
	now := c.Now()
	for _, s := range p.others {
		p.suspend(c, s)
		if !s.armed && !math.IsInf(s.deadline, 1) {
			s.armed = true
			c.Timer(s.job, now+max(s.laxity(now), 0))
		}
	}
	for _, s := range p.running {
		p.below(c, s)
	}
	for _, s := range p.running {
		s.armed = false
		if s.job.Waiting() || s.job.Suspended() {
			c.Start(s.job)
		}
	}
}

// below preempts the jobs below another and clears their timers.
func (p *DOver) below(c *simulate.Cluster, s *stint) {
	for _, r := range s.below {
		p.suspend(c, r)
		if r.armed {
			r.armed = false
			c.Timer(r.job, math.Inf(1))
		}
		p.below(c, r)
	}
}

// suspend preempts a job if it runs.
func (p *DOver) suspend(c *simulate.Cluster, s *stint) {
	if !s.job.Waiting() && !s.job.Suspended() {
		c.Suspend(s.job, 0)
	}
}

func compareStints(a, b *stint) int {
	return cmp.Or(cmp.Compare(a.deadline, b.deadline), cmp.Compare(a.job.ID, b.job.ID))
}

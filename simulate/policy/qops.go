package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// QoPS admits a job only if a plan exists in which it and every job admitted
// before ends by its deadline: Islam, Balaji, Sadayappan and Panda (2003). Use
// one per run.
//
// Every admitted job has a place in the plan, and may be moved within its slack, the
// time from its planned end to its deadline. A new job is first tried in the room that
// the plan leaves. If it would be late there, it is inserted into the planned order, from
// the back to the front: before the last eighth of the jobs, the last quarter, the last
// half, and all. The jobs behind it are removed and replanned, each at the earliest time
// that the others leave. If one of them would be late, it is critical: it moves to the
// head of the removed jobs, which are replanned, up to Tries times. If no place works,
// the job is rejected, for Deadline.
//
// A plan holds while estimates are not exceeded: with exact estimates no admitted job is
// ever late. When a job ends early, other jobs move up and none moves back. When a job
// overruns, the jobs that it blocks are replanned, and a job that is late then may not
// become later because of another. A job without a deadline is always admitted.
//
// With n jobs in the plan an arrival takes at most 2 (Tries + 1) n searches for a
// place. An early end or an overrun takes one for each of the first 512 jobs, and
// the others stay where they are.
type QoPS struct {
	Terms
	Tries int // K, the number of critical jobs moved to the head per place

	profile profile // of the running jobs and the plan
	fresh   []entry // came since the last decision
	plan    []entry // by start
	tail    []entry // of a trial; the key is the time at which a job has to end
	early   bool    // a job has ended early, or left
	wake    float64
	down    outages
}

// Arrive implements simulate.Policy.
func (p *QoPS) Arrive(c *simulate.Cluster, j *simulate.Job) {
	if estimate, ok := p.take(c, j); ok {
		p.fresh = append(p.fresh, entry{estimate: estimate, start: math.Inf(-1), width: int32(j.Width), job: j})
	}
}

// Leave implements simulate.Leaver.
func (p *QoPS) Leave(_ *simulate.Cluster, j *simulate.Job) {
	is := func(e entry) bool { return e.job == j }
	if i := slices.IndexFunc(p.plan, is); i >= 0 {
		p.profile.give(&p.plan[i])
		p.plan = slices.Delete(p.plan, i, i+1)
		p.early = true
		return
	}
	p.fresh = slices.DeleteFunc(p.fresh, is)
}

// Finish implements simulate.Finisher.
func (p *QoPS) Finish(c *simulate.Cluster, j *simulate.Job) {
	end := j.Since() + p.estimate(j)
	p.profile.advance(c.Now(), c.Processors())
	p.profile.release(c.Now(), end, j.Width)
	p.early = p.early || before(c.Now(), end)
}

// Stop implements simulate.Stopper. The job was admitted, and is planned again at the
// earliest time, in time or not.
func (p *QoPS) Stop(c *simulate.Cluster, j *simulate.Job, again bool) {
	if p.Finish(c, j); again {
		p.Arrive(c, j)
	}
}

// Schedule implements simulate.Policy.
func (p *QoPS) Schedule(c *simulate.Cluster) {
	now, front := c.Now(), p.plan[:min(len(p.plan), depth)]
	p.profile.advance(now, c.Processors())
	switch {
	case p.down.note(c, &p.profile), len(front) > 0 && before(front[0].start, now): // a job overruns
		for i := range front {
			p.profile.give(&front[i])
		}
		for i := range front {
			p.profile.hold(&front[i], p.profile.earliest(int(front[i].width), front[i].estimate))
		}
		p.sort()
	case p.early:
		for i := range front {
			e := &front[i]
			if start := p.profile.sooner(int(e.width), e.estimate, e.start); before(start, e.start) {
				p.profile.give(e)
				p.profile.hold(e, start)
			}
		}
		p.sort()
	}
	p.early = false
	for _, e := range p.fresh {
		if c.Canceled() {
			return
		}
		if e.job.Suspended() {
			p.insertAt(e, p.profile.earliest(int(e.width), e.estimate))
		} else if p.admit(e, now) {
			c.Admit(e.job)
		} else {
			c.Reject(e.job, simulate.Deadline)
		}
	}
	p.fresh = p.fresh[:0]
	p.serve(c)
}

// serve starts the jobs whose time has come and asks for a decision at the next start.
// If a job past its estimate still holds their processors, the plan waits for its end.
func (p *QoPS) serve(c *simulate.Cluster) {
	now, kept, wake, late := c.Now(), p.plan[:0], math.Inf(1), false
	for _, e := range p.plan {
		switch {
		case before(now, e.start):
			wake = min(wake, e.start)
			kept = append(kept, e)
		case int(e.width) > c.Free():
			kept, late = append(kept, e), true
		default:
			if p.profile.give(&e); c.Ahead() && !p.profile.room(int(e.width), e.estimate) {
				p.profile.hold(&e, e.start)
				kept, late = append(kept, e), true
				continue
			}
			p.profile.hold(&e, now) // by a hair
			p.start(c, e.job)
		}
	}
	clear(p.plan[len(kept):])
	p.plan = kept
	if late {
		wake = math.Inf(1)
	}
	if wake != p.wake {
		c.WakeAt(wake)
		p.wake = wake
	}
}

// admit finds a place for a new job and reports whether there is one.
func (p *QoPS) admit(e entry, now float64) bool {
	if before(e.job.Deadline(), now+e.estimate) {
		return false
	}
	start := p.profile.earliest(int(e.width), e.estimate)
	if !before(e.job.Deadline(), start+e.estimate) {
		p.insertAt(e, start)
		return true
	}
	n := len(p.plan)
	for behind := max(1, n/8); behind < n; behind *= 2 {
		if p.insert(e, n-behind) {
			return true
		}
	}
	return n > 0 && p.insert(e, 0)
}

// insertAt plans a job that leaves the others where they are.
func (p *QoPS) insertAt(e entry, start float64) {
	p.profile.hold(&e, start)
	at, _ := slices.BinarySearchFunc(p.plan, e, comparePlaces)
	p.plan = slices.Insert(p.plan, at, e)
}

// insert plans a new job before others of the plan, and reports whether all of them can
// end in time. Otherwise the plan is unchanged.
func (p *QoPS) insert(e entry, at int) bool {
	p.tail = append(append(p.tail[:0], e), p.plan[at:]...)
	for i := range p.tail {
		t := &p.tail[i]
		t.key = max(t.job.Deadline(), t.start+t.estimate)
	}
	for i := range p.plan[at:] {
		p.profile.give(&p.plan[at+i])
	}
	for try := 0; ; try++ {
		late := p.place()
		if late < 0 {
			p.plan = append(p.plan[:at], p.tail...)
			p.sort()
			return true
		}
		if late == 0 || try == p.Tries {
			break
		}
		critical := p.tail[late]
		copy(p.tail[1:], p.tail[:late])
		p.tail[0] = critical
	}
	for i := range p.plan[at:] {
		p.profile.hold(&p.plan[at+i], p.plan[at+i].start)
	}
	return false
}

// place plans the jobs of a trial in order and returns -1. If a job would be late, it
// plans none and returns the index of the first such job.
func (p *QoPS) place() (late int) {
	for i := range p.tail {
		e := &p.tail[i]
		start := p.profile.earliest(int(e.width), e.estimate)
		if before(e.key, start+e.estimate) {
			for k := range p.tail[:i] {
				p.profile.give(&p.tail[k])
			}
			return i
		}
		p.profile.hold(e, start)
	}
	return -1
}

func (p *QoPS) sort() { slices.SortFunc(p.plan, comparePlaces) }

func comparePlaces(a, b entry) int {
	return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.job.ID, b.job.ID))
}

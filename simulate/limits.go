package simulate

import (
	"cmp"
	"slices"
)

// Limit is the most that an owner of jobs holds at one time: a user, a group, an account, or a queue or QOS. A job
// holds its processors from its first start to its end, also while it is preempted.
//
// A job for which its owner has no room is passed over: its policy does not know it, so that it blocks no other job
// and holds no reservation. It comes to its policy when there is room. So policies obey limits without knowing
// them, in four steps:
//
//   - a job that comes is kept from its policy if it has no room;
//   - after a start that leaves a job without room that its policy knows, no processor of the site is free for the
//     rest of the decision;
//   - such jobs are then taken from their policies, by Leaver.Leave, and the decision is made again;
//   - when jobs have ended, the jobs that have room again come to their policies before the decision, by submission.
//
// A policy on dedicated processors that is a [Leaver] obeys, if it asks for Cluster.Free before each start. Others
// are not held: jobs that share processors, recorded schedules, and a policy that is [Unlimited].
type Limit struct {
	Owner Owner
	ID    int    // as in Details
	Units int    // processors; 0 is no limit
	Jobs  int    // running jobs; 0 is no limit
	Never bool   // a job wider than Units is rejected; otherwise it starts when its owner holds nothing
	Apart []bool // by site: its processors do not count; nil: all do
}

// Owner is a kind of owner.
type Owner uint8

// The kinds of owners.
const (
	OfUser Owner = iota
	OfGroup
	OfAccount
	OfQueue // or QOS

	owners // their number
)

// Unlimited is a policy that does not obey limits.
type Unlimited interface {
	Policy
	Unlimited()
}

// Owns reports whether a job is one of the owner's.
func (l *Limit) Owns(j *Job) bool { return l.Owner.of(j) == l.ID }

// of returns the number of the owner of a job.
func (o Owner) of(j *Job) int {
	d := &j.Spec.Details
	return [owners]int{d.User, d.Group, d.Account, d.Queue}[o]
}

// counts reports whether the processors of a site count.
func (l *Limit) counts(site int32) bool {
	return l.Units > 0 && (int(site) >= len(l.Apart) || !l.Apart[site])
}

// room reports whether a job of a width has room beside what its owner holds. If it does, so has a narrower one.
func (l *Limit) room(width, units, jobs int) bool {
	return units+width <= l.Units || width > l.Units && !l.Never && jobs == 0
}

// limits are the limits of a run, with what owners hold.
type limits struct {
	all     []Limit
	held    []holding // by limit
	first   [owners]map[int]int32
	parties map[partyKey]*party
	of      []membership // by slot
	bound   []bool       // by site: its policy obeys
	crowd   bool         // known jobs may have no room, see start
	paused  *Cluster     // no processor is free there until they are taken away
	beyond  bool         // jobs were taken from the policies of other sites
	freed   []*party     // some of the jobs that were passed over may have room
	shown   []*Job       // used by show
}

// holding is what an owner holds, and the parties of its jobs.
type holding struct {
	units, jobs int
	parties     []*party
}

// party is the jobs at a site with the same limits.
type party struct {
	site   int32
	limits []int32
	known  []*Job // to their policy, and wait
	passed []*Job // they wait without room
	widest int    // no known job is wider
	freed  bool   // it is in limits.freed
}

// partyKey is a site and, by kind of owner, the first limit of a job's owner or -1.
type partyKey struct {
	site  int32
	first [owners]int32
}

// membership is the place of a job in its party.
type membership struct {
	*party
	at    int32 // in known or passed
	state memberState
	again bool // it was passed over before
}

type memberState uint8

const (
	outside memberState = iota // also if no limit concerns the job
	known
	passed
	holds
)

// newLimits returns the limits of a run at some sites, nil if there are none.
func newLimits(all []Limit, sites []*Cluster) *limits {
	if len(all) == 0 {
		return nil
	}
	l := &limits{all: all, held: make([]holding, len(all)), parties: map[partyKey]*party{}}
	for _, c := range sites {
		_, unlimited := c.policy.(Unlimited)
		l.bound = append(l.bound, c.sharing == nil && !c.recorded && c.leaver != nil && !unlimited)
	}
	for i := len(all) - 1; i >= 0; i-- {
		o := all[i].Owner
		if l.first[o] == nil {
			l.first[o] = map[int]int32{}
		}
		l.first[o][all[i].ID] = int32(i)
	}
	return l
}

// partyOf returns the party of a job at a site, nil if no limit concerns it.
func (l *limits) partyOf(j *Job, site int32) *party {
	key, none := partyKey{site: site}, true
	for o := range key.first {
		i, ok := l.first[o][Owner(o).of(j)]
		if !ok {
			i = -1
		}
		key.first[o] = i
		none = none && !ok
	}
	if none {
		return nil
	}
	p := l.parties[key]
	if p == nil {
		p = &party{site: site}
		l.parties[key] = p
		for i := range l.all {
			if l.all[i].Owns(j) {
				p.limits = append(p.limits, int32(i))
				l.held[i].parties = append(l.held[i].parties, p)
			}
		}
	}
	return p
}

// fits reports whether a job of a width has room under all limits of its party.
func (l *limits) fits(p *party, width int) bool {
	for _, i := range p.limits {
		limit, h := &l.all[i], &l.held[i]
		if limit.Jobs > 0 && h.jobs >= limit.Jobs || limit.counts(p.site) && !limit.room(width, h.units, h.jobs) {
			return false
		}
	}
	return true
}

// meet notes a job that comes to a site, and reports whether the limits will ever let it start there.
func (l *limits) meet(j *Job, c *Cluster) bool {
	for int(j.slot) >= len(l.of) {
		l.of = append(l.of, membership{})
	}
	p := l.partyOf(j, c.index)
	l.of[j.slot] = membership{party: p}
	return p == nil || !l.bound[c.index] || !slices.ContainsFunc(p.limits, func(i int32) bool {
		limit := &l.all[i]
		return limit.Never && limit.counts(p.site) && j.Width > limit.Units
	})
}

// enter notes that a job waits, and reports whether its policy is to know it.
func (l *limits) enter(j *Job) bool {
	m := &l.of[j.slot]
	if m.party == nil {
		return true
	}
	if l.bound[m.site] && !l.fits(m.party, j.Width) {
		l.pass(j, m)
		return false
	}
	l.know(j, m)
	return true
}

// know puts a job among those that their policy knows.
func (l *limits) know(j *Job, m *membership) {
	m.state, m.at = known, int32(len(m.known))
	m.known = append(m.known, j)
	m.widest = max(m.widest, j.Width)
}

// pass passes a job over, which its policy does not know.
func (l *limits) pass(j *Job, m *membership) {
	m.state, m.at, m.again = passed, int32(len(m.passed)), true
	m.passed = append(m.passed, j)
	j.site.list(j, &j.site.queue, nil)
}

// leave notes that a job no longer waits.
func (l *limits) leave(j *Job) {
	m := &l.of[j.slot]
	switch m.state {
	case known:
		m.known = l.remove(m.known, m.at)
	case passed:
		m.passed = l.remove(m.passed, m.at)
		j.site.list(j, nil, &j.site.queue)
	}
	m.state = outside
}

// remove takes the job at a place out of a list of a party.
func (l *limits) remove(list []*Job, at int32) []*Job {
	last := len(list) - 1
	list[at] = list[last]
	l.of[list[at].slot].at = at
	return list[:last]
}

// start notes that a job holds its processors. If jobs that policies know have no room now, no processor of the
// site is free until they are taken away.
func (l *limits) start(j *Job) {
	m := &l.of[j.slot]
	if m.party == nil {
		return
	}
	m.state = holds
	for _, i := range m.limits {
		h := &l.held[i]
		h.jobs++
		if l.all[i].counts(m.site) {
			h.units += j.Width
		}
	}
	l.crowd = l.crowd || l.crowded(m.party)
	if l.crowd && l.paused == nil && l.bound[m.site] {
		l.paused = j.site
		j.site.free -= j.site.processors
	}
}

// crowded reports whether known jobs that have a limit in common with a party may have no room.
func (l *limits) crowded(p *party) bool {
	for _, i := range p.limits {
		for _, q := range l.held[i].parties {
			if len(q.known) > 0 && l.bound[q.site] && !l.fits(q, q.widest) {
				return true
			}
		}
	}
	return false
}

// end notes that a job ends, and frees what it holds.
func (l *limits) end(j *Job) {
	if int(j.slot) >= len(l.of) || l.of[j.slot].state != holds {
		return
	}
	m := &l.of[j.slot]
	m.state = outside
	for _, i := range m.limits {
		h := &l.held[i]
		h.jobs--
		if l.all[i].counts(m.site) {
			h.units -= j.Width
		}
		for _, p := range h.parties {
			if len(p.passed) > 0 && !p.freed {
				p.freed = true
				l.freed = append(l.freed, p)
			}
		}
	}
}

// passes reports whether a job is passed over.
func (l *limits) passes(j *Job) bool {
	return l != nil && int(j.slot) < len(l.of) && l.of[j.slot].state == passed
}

// returns reports whether a job comes to its policy again.
func (l *limits) returns(j *Job) bool { return l != nil && l.of[j.slot].again }

// settle takes jobs without room from their policies after a start. It reports whether a site was paused, whose
// processors are free again.
func (l *limits) settle() (paused bool) {
	if l == nil || !l.crowd {
		return false
	}
	c := l.paused
	if c != nil {
		c.free += c.processors
	}
	l.crowd, l.paused = false, nil
	for i := range l.held {
		for _, p := range l.held[i].parties {
			if len(p.known) > 0 && l.bound[p.site] && !l.fits(p, p.widest) {
				l.hide(p)
				l.beyond = l.beyond || c == nil || p.site != c.index
			}
		}
	}
	return c != nil
}

// hide takes the jobs of a party without room from their policy.
func (l *limits) hide(p *party) {
	p.widest = 0
	for at := len(p.known) - 1; at >= 0; at-- {
		j := p.known[at]
		if l.fits(p, j.Width) {
			p.widest = max(p.widest, j.Width)
			continue
		}
		c := j.site
		c.kernel.current = j.ID
		c.leaver.Leave(c, j)
		c.cancelTimer(j)
		p.known = l.remove(p.known, int32(at))
		l.pass(j, &l.of[j.slot])
		c.stir()
	}
}

// show gives the jobs that have room again to their policies, by submission.
func (l *limits) show() {
	l.settle()
	for len(l.freed) > 0 {
		l.shown = l.shown[:0]
		for _, p := range l.freed {
			p.freed = false
			for _, j := range p.passed {
				if l.fits(p, j.Width) {
					l.shown = append(l.shown, j)
				}
			}
		}
		l.freed = l.freed[:0]
		slices.SortFunc(l.shown, func(a, b *Job) int { return cmp.Compare(a.ID, b.ID) })
		for _, j := range l.shown {
			m := &l.of[j.slot]
			if m.state != passed || !l.fits(m.party, j.Width) {
				continue
			}
			m.passed = l.remove(m.passed, m.at)
			l.know(j, m)
			c := j.site
			c.kernel.current = j.ID
			c.list(j, nil, &c.queue)
			c.stir()
			c.policy.Arrive(c, j)
		}
	}
}

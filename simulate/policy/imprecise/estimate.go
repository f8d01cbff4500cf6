package imprecise

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// group is consecutive parts of a job that are alike. Lengths are in seconds on a
// processor of the site.
type group struct {
	count int
	left  [2]float64 // of both lengths; that of the running length at since
	since float64
	rate  float64 // of the running length; 0 if none runs
	first int     // index of the first of its pieces in the plan
}

// lengths returns the rests of both lengths at a time.
func (g *group) lengths(now float64) (m, o float64) {
	m, o = g.left[mandatory], g.left[optional]
	done := g.rate * (now - g.since)
	if m > 0 {
		return max(m-done, 0), o
	}
	return m, max(o-done, 0)
}

// groupsOf returns the parts of a job in groups.
func (s *imprecise) groupsOf(h *contract) []group {
	if !h.changed {
		return h.groups
	}
	h.changed = false
	h.groups = h.groups[:0]
	for i := range h.parts {
		p := &h.parts[i]
		g := group{count: 1, left: [2]float64{p.left[mandatory] / s.speed, p.left[optional] / s.speed}}
		if p.node != nowhere {
			g.left[p.kind()] = p.work
			g.since = p.since
			g.rate = p.rate
		}
		if n := len(h.groups); n > 0 {
			last := &h.groups[n-1]
			if last.left == g.left && last.since == g.since && last.rate == g.rate {
				last.count++
				continue
			}
		}
		h.groups = append(h.groups, g)
	}
	return h.groups
}

// gain returns the estimated growth of the site's budget with a job, or the reason why the
// site cannot take it: a mandatory length would miss its deadline, or there is no gain.
//
// Kim, Buyya and Kim (2007), sections 3.1 and 3.4.
func (s *imprecise) gain(c *simulate.Cluster, h *contract) (float64, simulate.Reason) {
	s.speed = c.Speed()
	m := h.terms.Mandatory / s.speed
	if !h.job.Value.Dated || late(c.Now()+m, h.due, c.Now()) {
		return 0, simulate.Deadline
	}
	h.changed = false
	h.groups = append(h.groups[:0], group{count: h.job.Width, left: [2]float64{m, h.terms.Optional / s.speed}})
	s.enlist(h)
	after, ok := s.estimate(c)
	s.strike(h)
	if !ok {
		return 0, simulate.Deadline
	}
	before, _ := s.estimate(c)
	gain := after - before
	if s.feasible || gain > policy.Slack*s.ceiling || gain > 0 && gain > policy.Slack*before {
		return gain, simulate.NoReason
	}
	return gain, simulate.Return
}

// enlist adds a job to the lists of jobs.
func (s *imprecise) enlist(h *contract) {
	s.jobs[mandatory].Insert(h)
	s.jobs[optional].Insert(h)
}

// strike removes a job from the lists of jobs.
func (s *imprecise) strike(h *contract) {
	s.jobs[mandatory].Remove(h)
	s.jobs[optional].Remove(h)
}

// late reports whether a time is past a deadline by more than rounding.
func late(at, due, now float64) bool { return at-due > 1e-12*(due-now)+1e-13*now }

// plan is the working memory of an estimate.
type plan struct {
	now    float64
	slots  []slot // by time; those before next are used
	next   int
	pieces []piece // of all groups with a mandatory length
	budget float64
}

// slot is a number of processors that become free at a time.
type slot struct {
	time  float64
	count int
}

func (s slot) compare(time float64) int { return cmp.Compare(s.time, time) }

// piece is a number of parts whose mandatory lengths are planned to end at a time.
type piece struct {
	ready float64
	count int
}

// estimate returns the budget of the jobs in the lists if no other job came, and whether
// every mandatory length would end by its deadline.
//
// Mandatory lengths, by deadline, go to the processor that is free first. Optional
// lengths follow in the order of the scheme, each after the mandatory length of its part,
// until it is done or due.
func (s *imprecise) estimate(c *simulate.Cluster) (budget float64, ok bool) {
	w := &s.plan
	w.now = c.Now()
	w.slots = append(w.slots[:0], slot{w.now, c.Processors()})
	w.next = 0
	w.pieces = w.pieces[:0]
	w.budget = 0
	for _, h := range s.jobs[mandatory].Items {
		groups := s.groupsOf(h)
		for i := range groups {
			if !w.planMandatory(&groups[i], h.due) {
				return 0, false
			}
		}
	}
	if s.scheme == mandatoryTime {
		return s.share(), true
	}
	for _, h := range s.jobs[optional].Items {
		groups := s.groupsOf(h)
		for i := range groups {
			s.planOptional(&groups[i], h)
		}
	}
	return w.budget, true
}

// occupy uses up to count of the processors that are free next, until end, and returns
// their number.
func (w *plan) occupy(count int, end float64) int {
	first := &w.slots[w.next]
	count = min(count, first.count)
	first.count -= count
	if first.count == 0 {
		w.next++
	}
	at, found := slices.BinarySearchFunc(w.slots[w.next:], end, slot.compare)
	if found {
		w.slots[w.next+at].count += count
	} else {
		w.slots = slices.Insert(w.slots, w.next+at, slot{end, count})
	}
	return count
}

// planMandatory plans the mandatory lengths of a group and reports whether they end in
// time.
func (w *plan) planMandatory(g *group, due float64) bool {
	if g.left[mandatory] == 0 {
		return true
	}
	g.first = len(w.pieces)
	length, _ := g.lengths(w.now)
	for n := g.count; n > 0; {
		end := w.slots[w.next].time + length
		if late(end, due, w.now) {
			return false
		}
		count := w.occupy(n, end)
		w.pieces = append(w.pieces, piece{end, count})
		n -= count
	}
	return true
}

// piecesOf returns the parts of a group by the ends of their mandatory lengths.
func (w *plan) piecesOf(g *group) []piece {
	if g.left[mandatory] == 0 {
		g.first = len(w.pieces)
		w.pieces = append(w.pieces, piece{w.now, g.count})
	}
	end := g.first
	for n := g.count; n > 0; end++ {
		n -= w.pieces[end].count
	}
	return w.pieces[g.first:end]
}

// planOptional plans the optional lengths of a group and adds their pay to the budget.
func (s *imprecise) planOptional(g *group, h *contract) {
	w := &s.plan
	_, left := g.lengths(w.now)
	if left == 0 {
		w.budget += float64(g.count) * s.worth(h, 0)
		return
	}
	for _, p := range w.piecesOf(g) {
		for p.count > 0 {
			start := max(w.slots[w.next].time, p.ready)
			if start >= h.due {
				w.budget += float64(p.count) * s.worth(h, left)
				break
			}
			end := min(start+left, h.due)
			count := w.occupy(p.count, end)
			w.budget += float64(count) * s.worth(h, start+left-end)
			p.count -= count
		}
	}
}

// worth returns the pay of a part with the given rest of its optional length.
func (s *imprecise) worth(h *contract, left float64) float64 {
	return h.terms.Worth(h.terms.Optional - left*s.speed)
}

// sharing is the working memory of share.
type sharing struct {
	queue  []sharer // by deadline; entries before first have left
	first  int
	coming []moment // entries with a mandatory length, by its end, the last first
	goals  []moment // entries that share, by goal, the largest first
	at     float64  // time
	given  float64  // optional length of a part that shares from the beginning
	active int      // parts that share
	budget float64  // of the parts that have left
	free   int      // processors that no mandatory length occupies
}

// sharer is a number of alike parts of a job that share.
type sharer struct {
	contract     *contract
	count        int
	joined, gone bool
	goal         float64 // the value of given at which they are done; before they share, their rest
	slack        float64 // a rest that counts as done
}

// moment is the time, or the goal, of an entry of the queue.
type moment struct {
	at    float64
	entry int
}

// compare orders moments, the last first.
func (a moment) compare(b moment) int { return cmp.Compare(b.at, a.at) }

// share returns the estimated budget of MandatoryTime after the mandatory lengths are
// planned: n optional lengths share the q processors without a mandatory length, each at
// the rate min(1, q/n). The rate changes when a length ends or a deadline comes.
//
// All parts advance at one rate, so that a part is done when the length given to each has
// grown by the part's rest.
func (s *imprecise) share() float64 {
	w := &s.sharing
	*w = sharing{queue: w.queue[:0], coming: w.coming[:0], goals: w.goals[:0], at: s.plan.now}
	for _, h := range s.jobs[optional].Items {
		groups := s.groupsOf(h)
		for i := range groups {
			s.enter(&groups[i], h)
		}
	}
	slices.SortFunc(w.coming, moment.compare)
	slices.SortFunc(w.goals, moment.compare)
	for w.first < len(w.queue) {
		s.step()
	}
	return w.budget
}

// enter adds a group to the queue.
func (s *imprecise) enter(g *group, h *contract) {
	w := &s.sharing
	_, left := g.lengths(w.at)
	done := policy.Slack * h.terms.Optional / s.speed
	if left <= done {
		w.budget += float64(g.count) * s.worth(h, 0)
		return
	}
	for _, p := range s.plan.piecesOf(g) {
		i := len(w.queue)
		w.queue = append(w.queue, sharer{contract: h, count: p.count, goal: left, slack: done})
		if p.ready > w.at {
			w.coming = append(w.coming, moment{p.ready, i})
		} else if w.join(i) {
			w.goals = append(w.goals, moment{w.queue[i].goal, i})
		}
	}
}

// join lets parts share, and reports whether they can reach their goal by the deadline, at
// least at rate 1.
func (w *sharing) join(i int) bool {
	p := &w.queue[i]
	within := p.goal <= p.contract.due-w.at+2*p.slack
	p.joined = true
	p.goal += w.given
	w.active += p.count
	return within
}

// leave adds the pay of parts with the given rest to the budget.
func (s *imprecise) leave(p *sharer, left float64) {
	p.gone = true
	s.sharing.active -= p.count
	s.sharing.budget += float64(p.count) * s.worth(p.contract, left)
}

// nextGoal returns the goal that is reached next, or nil.
func (w *sharing) nextGoal() *moment {
	for n := len(w.goals) - 1; n >= 0; n-- {
		if !w.queue[w.goals[n].entry].gone {
			return &w.goals[n]
		}
		w.goals = w.goals[:n]
	}
	return nil
}

// step advances to the next change, and lets parts join and leave.
func (s *imprecise) step() {
	w, slots := &s.sharing, &s.plan
	for slots.next < len(slots.slots) && slots.slots[slots.next].time <= w.at {
		w.free += slots.slots[slots.next].count
		slots.next++
	}
	next := w.queue[w.first].contract.due
	if slots.next < len(slots.slots) {
		next = min(next, slots.slots[slots.next].time)
	}
	if n := len(w.coming); n > 0 {
		next = min(next, w.coming[n-1].at)
	}
	rate, done := 0.0, math.Inf(1)
	goal := w.nextGoal()
	if w.active > 0 {
		rate = math.Min(1, float64(w.free)/float64(w.active))
		if goal != nil {
			done = w.at + (goal.at-w.given)/rate
		}
	}
	next = max(min(next, done), w.at)
	w.given += rate * (next - w.at)
	if done <= next {
		// Late in a run a short length may take less than the clock resolves.
		w.given = max(w.given, goal.at)
	}
	w.at = next
	for ; goal != nil && goal.at-w.given <= w.queue[goal.entry].slack; goal = w.nextGoal() {
		s.leave(&w.queue[goal.entry], 0)
	}
	w.joinComing()
	s.leaveAtDeadlines()
}

// joinComing lets the parts share whose mandatory lengths have ended.
func (w *sharing) joinComing() {
	for n := len(w.coming) - 1; n >= 0 && w.coming[n].at <= w.at; n-- {
		i := w.coming[n].entry
		w.coming = w.coming[:n]
		if !w.queue[i].gone && w.join(i) {
			goal := moment{w.queue[i].goal, i}
			at, _ := slices.BinarySearchFunc(w.goals, goal, moment.compare)
			w.goals = slices.Insert(w.goals, at, goal)
		}
	}
}

// leaveAtDeadlines lets the parts leave whose deadlines have come.
func (s *imprecise) leaveAtDeadlines() {
	w := &s.sharing
	for ; w.first < len(w.queue); w.first++ {
		p := &w.queue[w.first]
		if p.gone {
			continue
		}
		if p.contract.due > w.at {
			return
		}
		if !p.joined { // its mandatory length ends at the deadline, up to rounding
			w.active += p.count
			p.goal += w.given
		}
		s.leave(p, p.goal-w.given)
	}
}

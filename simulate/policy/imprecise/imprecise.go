package imprecise

import (
	"cmp"
	"math"
	"slices"

	"revopt/internal/ordered"
	"revopt/simulate"
	"revopt/simulate/policy"
)

// scheme is a way to serve imprecise jobs, those with a mandatory and an
// optional length.
type scheme uint8

// The schemes of Kim, Buyya and Kim (2007). Whatever the scheme, mandatory
// lengths come first, the earliest deadline before the others.
const (
	mandatoryEDF  scheme = iota // MF-EDF: optional lengths by deadline
	mandatoryHBF                // MF-HBF: optional lengths by budget rate, the highest first
	mandatoryTime               // MF-TimeShare: optional lengths share the processors that are left
	hardWhole                   // Hard-M+O: both lengths as one, whole or nothing
	hardMandatory               // Hard-M: nothing but the mandatory length
)

// isHard reports whether the scheme has no optional lengths.
func (s scheme) isHard() bool { return s == hardWhole || s == hardMandatory }

// imprecise serves the jobs of one site. See New.
type imprecise struct {
	scheme     scheme
	feasible   bool    // a job is accepted without a gain if all mandatory lengths are in time
	speed      float64 // of each processor
	processors int

	byJob  map[int64]*contract // by ID
	parts  []*part             // by number, which tasks carry as their note
	free   []int               // numbers not in use
	ended  []*contract         // jobs whose last part is done
	spare  []*contract         // jobs that have left, to be used again
	agreed int64               // ID + 1 of the job that the broker sends here

	ceiling float64 // the pay of all jobs if everything is done

	jobs  [2]ordered.List[*contract] // in the orders of mandatory and optional lengths
	races [2]race                    // for processors, of mandatory and optional lengths
	seats []int                      // by node: the number of tasks, or taken; nodes beyond have none
	posts posts

	plan    plan
	sharing sharing
}

// The lengths of a part.
const (
	mandatory = iota
	optional
)

// contract is a job that a site has accepted.
type contract struct {
	job    *simulate.Job
	terms  simulate.Imprecise // as the scheme sees them
	due    float64            // time of the deadline
	rate   float64            // see simulate.Imprecise.Rate
	most   float64            // its pay if everything is done
	parts  []part
	undone int // parts with an unfinished length

	// By length: the number of parts that wait for a processor for it, and that have one.
	// The former are in [from, ...), the latter in [0, upto).
	waiting, running [2]int
	from, upto       [2]int

	groups  []group // the parts, for estimates
	changed bool    // the groups are out of date
}

// part is one of the independent parts of a job.
type part struct {
	contract *contract
	index    int        // in its job
	number   int        // of all parts of the site
	left     [2]float64 // of both lengths when it last started or stopped, s at rate 1 on the reference
	node     int        // on which it runs; nowhere
	chosen   bool       // is to run

	// When the rates of the node were set: s left of the running length, the time, and
	// the rate.
	work, since, rate float64
}

const nowhere = -1

// taken marks a node that runs a mandatory length.
const taken = math.MaxInt

// newImprecise returns a site that serves imprecise jobs by the given scheme. A job without lengths is mandatory as a whole and
// pays its budget.
//
// # Policies mf-edf, mf-hbf, mf-timeshare, hard-mo, hard-m
//
// Kim, Buyya and Kim (2007), section 3. A job has independent parts, as many as its width, each with a mandatory
// length m, due by the deadline, and an optional length o. A part pays b_m + b_o(l) for an executed optional length l
// ≤ o; b_o is a budget function.
//
// The mf schemes run mandatory lengths by earliest deadline, preemptively. Each optional length follows the mandatory
// length of its part, when no mandatory length waits: under mf-edf by earliest deadline, under mf-hbf by highest
// budget rate b_o(o) - b_o(0), under mf-timeshare all at equal shares of the free processors. hard-mo runs m + o as
// one, whole or nothing; hard-m runs m alone. At the deadline a job is returned with its partial result, and counts as
// completed.
//
// A job goes to the site where the estimated budget grows most, as if no other job came. It is rejected for deadline
// if a mandatory length, also of an earlier job, would be late at every site, else for return if no gain is positive;
// with accept=feasible only for deadline, as the text says literally. So an accepted job always gets its mandatory
// budget. On a trace, ic splits the run time R into m = R/(1 + f) and o = f m, and a second counts as 168 MI. Lengths
// are known; the estimates of users are ignored.
func newImprecise(s scheme, feasible bool) *imprecise {
	p := &imprecise{scheme: s, feasible: feasible, byJob: make(map[int64]*contract)}
	for k, order := range [2]func(a, b *contract) int{sooner, s.order()} {
		byOrder := ordered.List[*contract]{Compare: func(a, b **contract) int { return order(*a, *b) }}
		p.races[k] = race{kind: k, waiting: byOrder, running: byOrder}
		p.jobs[k] = byOrder
	}
	return p
}

// seen returns the terms of a job as a scheme sees them.
func seen(s scheme, j *simulate.Job) simulate.Imprecise {
	t := simulate.Imprecise{Mandatory: j.Work, Reward: j.Value.Price / float64(j.Width)}
	if i := j.Spec.Imprecise; i != nil {
		t = *i
	}
	switch s {
	case hardWhole:
		return simulate.Imprecise{Mandatory: t.Mandatory + t.Optional, Reward: t.Worth(t.Optional)}
	case hardMandatory:
		return simulate.Imprecise{Mandatory: t.Mandatory, Reward: t.Worth(0)}
	}
	return t
}

// order returns the order of jobs for optional lengths.
func (s scheme) order() func(a, b *contract) int {
	if s == mandatoryHBF {
		return richer
	}
	return sooner
}

func sooner(a, b *contract) int {
	if a.due != b.due {
		return cmp.Compare(a.due, b.due)
	}
	return cmp.Compare(a.job.ID, b.job.ID)
}

// richer orders jobs by budget rate, the highest first, then by deadline.
func richer(a, b *contract) int {
	if a.rate != b.rate {
		return cmp.Compare(b.rate, a.rate)
	}
	return sooner(a, b)
}

// see returns the job as the scheme sees it, before it has any parts.
func (s *imprecise) see(j *simulate.Job) *contract {
	h := &contract{}
	if n := len(s.spare); n > 0 {
		h = s.spare[n-1]
		s.spare = s.spare[:n-1]
	}
	*h = contract{
		job: j, due: j.Submit + j.Value.Due, terms: seen(s.scheme, j),
		parts: h.parts[:0], groups: h.groups[:0],
	}
	h.rate = h.terms.Rate()
	h.most = float64(j.Width) * h.terms.Worth(h.terms.Optional)
	if h.terms.Mandatory > 0 || h.terms.Optional > 0 {
		h.undone = j.Width
	}
	return h
}

// Arrive implements simulate.Policy.
func (s *imprecise) Arrive(c *simulate.Cluster, j *simulate.Job) {
	h := s.see(j)
	if s.agreed != j.ID+1 {
		if _, why := s.gain(c, h); why != simulate.NoReason {
			c.Reject(j, why)
			s.spare = append(s.spare, h)
			return
		}
	}
	s.agreed = 0
	c.Admit(j)
	s.take(h)
	c.Timer(j, h.due)
}

// take enters a job into the books.
func (s *imprecise) take(h *contract) {
	s.byJob[h.job.ID] = h
	s.enlist(h)
	h.changed = true
	s.ceiling += h.most
	h.parts = slices.Grow(h.parts, h.job.Width)[:h.job.Width]
	for i := range h.parts {
		p := &h.parts[i]
		*p = part{contract: h, index: i, left: [2]float64{h.terms.Mandatory, h.terms.Optional}, node: nowhere}
		if n := len(s.free); n > 0 {
			p.number = s.free[n-1]
			s.free = s.free[:n-1]
			s.parts[p.number] = p
		} else {
			p.number = len(s.parts)
			s.parts = append(s.parts, p)
		}
	}
	if h.undone == 0 {
		s.ended = append(s.ended, h)
	} else {
		s.races[h.parts[0].kind()].enter(h, 0, len(h.parts))
	}
}

// forget removes a job from the books and returns its pay.
func (s *imprecise) forget(h *contract) (pays float64) {
	delete(s.byJob, h.job.ID)
	s.strike(h)
	s.ceiling -= h.most
	if len(s.byJob) == 0 {
		s.ceiling = 0
	}
	for k := range s.races {
		s.races[k].leave(h, h.waiting[k], h.running[k])
	}
	for i := range h.parts {
		p := &h.parts[i]
		pays += p.pays()
		s.parts[p.number] = nil
		s.free = append(s.free, p.number)
	}
	s.spare = append(s.spare, h)
	return pays
}

// kind returns the length to run next, optional + 1 if both are done.
func (p *part) kind() int {
	switch {
	case p.left[mandatory] > 0:
		return mandatory
	case p.left[optional] > 0:
		return optional
	}
	return optional + 1
}

// pays returns the pay of a part now: nothing before its mandatory length is done, up to
// rounding.
func (p *part) pays() float64 {
	if p.left[mandatory] > policy.Slack*p.contract.terms.Mandatory {
		return 0
	}
	return p.contract.terms.Worth(p.contract.terms.Optional - p.left[optional])
}

// race holds the jobs whose parts compete for processors with lengths of one kind.
type race struct {
	kind             int
	waiting, running ordered.List[*contract] // jobs with parts that wait, and with parts that run
	chosen           int                     // parts that run
}

// enter lets parts of a job wait, from the given index on.
func (r *race) enter(h *contract, first, parts int) {
	if h.waiting[r.kind] == 0 {
		r.waiting.Insert(h)
		h.from[r.kind] = first
	}
	h.waiting[r.kind] += parts
	h.from[r.kind] = min(h.from[r.kind], first)
}

// leave removes the given numbers of waiting and running parts of a job.
func (r *race) leave(h *contract, waiting, running int) {
	h.waiting[r.kind] -= waiting
	if waiting > 0 && h.waiting[r.kind] == 0 {
		r.waiting.Remove(h)
	}
	h.running[r.kind] -= running
	if running > 0 && h.running[r.kind] == 0 {
		r.running.Remove(h)
	}
	r.chosen -= running
}

// head returns the first part of a job that waits.
func (r *race) head(h *contract) *part {
	i := h.from[r.kind]
	for h.parts[i].chosen || h.parts[i].kind() != r.kind {
		i++
	}
	h.from[r.kind] = i
	return &h.parts[i]
}

// tail returns the last part of a job that runs.
func (r *race) tail(h *contract) *part {
	i := h.upto[r.kind] - 1
	for !h.parts[i].chosen || h.parts[i].kind() != r.kind {
		i--
	}
	h.upto[r.kind] = i + 1
	return &h.parts[i]
}

// settle runs the first parts, up to a limit, and appends the parts that start and stop
// to the given lists.
func (r *race) settle(limit int, started, stopped []*part) (start, stop []*part) {
	yield := func(h *contract) {
		p := r.tail(h)
		p.chosen = false
		r.leave(h, 0, 1)
		r.enter(h, p.index, 1)
		stopped = append(stopped, p)
	}
	for r.chosen > limit {
		yield(*r.running.Last())
	}
	for first := r.waiting.First(); first != nil; first = r.waiting.First() {
		h := *first
		p := r.head(h)
		if r.chosen == limit {
			last := r.running.Last()
			if last == nil || r.waiting.Compare(last, first) < 0 || *last == h && r.tail(h).index < p.index {
				break
			}
			yield(*last)
		}
		p.chosen = true
		r.leave(h, 1, 0)
		if h.running[r.kind] == 0 {
			r.running.Insert(h)
			h.upto[r.kind] = 0
		}
		h.running[r.kind]++
		h.upto[r.kind] = max(h.upto[r.kind], p.index+1)
		r.chosen++
		started = append(started, p)
	}
	return started, stopped
}

// posts is the working memory of a decision.
type posts struct {
	started [2][]*part // parts to place, by the length that they run
	stopped []*part
}

// Schedule implements simulate.Policy: it returns the jobs that have ended and gives the
// processors to the first parts. Under MandatoryTime all optional lengths run if the
// mandatory lengths leave a processor.
func (s *imprecise) Schedule(c *simulate.Cluster) {
	for _, h := range s.ended {
		s.giveBack(c, h)
	}
	s.ended = s.ended[:0]
	s.speed = c.Speed()
	s.processors = c.Processors()
	q := &s.posts
	q.started[mandatory], q.stopped = s.races[mandatory].settle(s.processors, q.started[mandatory][:0], q.stopped[:0])
	room := s.processors - s.races[mandatory].chosen
	limit := room
	if s.scheme == mandatoryTime && room > 0 {
		limit = math.MaxInt
	}
	q.started[optional], q.stopped = s.races[optional].settle(limit, q.started[optional][:0], q.stopped)
	s.stop(c)
	s.placeMandatory(c)
	if room > 0 {
		s.placeOptional(c, room)
	}
}

// stop withdraws the parts that must stop, node by node.
func (s *imprecise) stop(c *simulate.Cluster) {
	slices.SortFunc(s.posts.stopped, func(a, b *part) int { return cmp.Compare(a.node, b.node) })
	for _, p := range s.posts.stopped {
		if p.node == nowhere {
			continue // with one before it
		}
		tasks := c.Nodes()[p.node].Tasks
		for i := len(tasks) - 1; i >= 0; i-- {
			if q := s.parts[int(tasks[i].Note[0])]; !q.chosen {
				s.withdraw(c, q, i)
			}
		}
	}
}

// placeMandatory gives every mandatory length that starts a dedicated processor: the one
// with the fewest optional lengths, which must leave it.
func (s *imprecise) placeMandatory(c *simulate.Cluster) {
	for _, p := range s.posts.started[mandatory] {
		node := s.fewest()
		for s.seats[node] > 0 {
			q := s.parts[int(c.Nodes()[node].Tasks[0].Note[0])]
			s.withdraw(c, q, 0)
			s.posts.started[optional] = append(s.posts.started[optional], q)
		}
		s.place(c, p, node)
	}
}

// placeOptional spreads the optional lengths evenly over the remaining processors, so that
// their numbers differ by at most one. Running parts stay where they are if possible.
func (s *imprecise) placeOptional(c *simulate.Cluster, room int) {
	q, all := &s.posts, s.races[optional].chosen
	each := all / room
	if s.scheme == mandatoryTime {
		s.trim(c, each, all%room)
		slices.SortFunc(q.started[optional], func(a, b *part) int {
			return cmp.Or(sooner(a.contract, b.contract), cmp.Compare(a.index, b.index))
		})
	}
	node := 0
	for _, p := range q.started[optional] {
		for p.node == nowhere {
			node = s.below(node, each)
			if node == nowhere {
				node = 0
				each++
				continue
			}
			s.place(c, p, node)
		}
	}
}

// fewest returns the first of the nodes with the fewest tasks.
func (s *imprecise) fewest() int {
	best := nowhere
	for node, tasks := range s.seats {
		if tasks == 0 {
			return node
		}
		if best == nowhere || tasks < s.seats[best] {
			best = node
		}
	}
	if len(s.seats) < s.processors {
		s.seats = append(s.seats, 0)
		return len(s.seats) - 1
	}
	return best
}

// below returns the first node from the given one on with fewer tasks than the limit,
// nowhere if there is none.
func (s *imprecise) below(node, limit int) int {
	if limit == 0 {
		return nowhere
	}
	for ; node < len(s.seats); node++ {
		if s.seats[node] < limit {
			return node
		}
	}
	if node < s.processors {
		s.seats = append(s.seats, 0)
		return node
	}
	return nowhere
}

// trim limits each processor to the given number of optional lengths; the first over
// processors that have more keep one more.
func (s *imprecise) trim(c *simulate.Cluster, each, over int) {
	for node, tasks := range s.seats {
		if tasks == taken || tasks <= each {
			continue
		}
		most := each
		if over > 0 {
			over--
			most++
		}
		for n := tasks; n > most; n-- {
			p := s.parts[int(c.Nodes()[node].Tasks[n-1].Note[0])]
			s.withdraw(c, p, n-1)
			s.posts.started[optional] = append(s.posts.started[optional], p)
		}
	}
}

// withdraw stops a part that is the task with the given index on its node.
func (s *imprecise) withdraw(c *simulate.Cluster, p *part, task int) {
	p.left[p.kind()] = max(c.Withdraw(p.node, task)*s.speed, math.SmallestNonzeroFloat64) // only Done ends a length
	s.vacate(p)
}

// vacate notes that a part no longer runs on its node.
func (s *imprecise) vacate(p *part) {
	if s.seats[p.node] == taken {
		s.seats[p.node] = 0
	} else {
		s.seats[p.node]--
	}
	p.node = nowhere
	p.contract.changed = true
}

func (s *imprecise) place(c *simulate.Cluster, p *part, node int) {
	h, kind := p.contract, p.kind()
	first := h.job.Waiting()
	c.Place(h.job, node, p.left[kind]/s.speed, [2]float64{float64(p.number), float64(kind)})
	if first {
		c.Timer(h.job, h.due) // its start has cleared the one set on arrival
	}
	p.node = node
	if kind == mandatory {
		s.seats[node] = taken
	} else {
		s.seats[node]++
	}
}

// SetRates implements simulate.Sharing: the parts on a node have equal shares of it. Only
// under MandatoryTime is there more than one part, all in their optional lengths.
func (s *imprecise) SetRates(n *simulate.Node, now float64) {
	for i := range n.Tasks {
		t := &n.Tasks[i]
		t.Rate = 1 / float64(len(n.Tasks))
		p := s.parts[int(t.Note[0])]
		p.work = n.Left(i, now)
		p.since = now
		p.rate = t.Rate
		p.contract.changed = true
	}
}

// Done implements simulate.Piecemeal: a length of a part has ended.
func (s *imprecise) Done(_ *simulate.Cluster, t *simulate.Task) {
	p := s.parts[int(t.Note[0])]
	h, kind := p.contract, p.kind()
	s.vacate(p)
	s.races[kind].leave(h, 0, 1)
	p.chosen = false
	p.left[kind] = 0
	if next := p.kind(); next == optional {
		s.races[next].enter(h, p.index, 1)
		return
	}
	h.undone--
	if h.undone == 0 {
		s.ended = append(s.ended, h)
	}
}

// Timer implements simulate.Timed: the deadline of a job has come.
func (s *imprecise) Timer(c *simulate.Cluster, j *simulate.Job) {
	h := s.byJob[j.ID]
	if h.undone == 0 {
		return // its last part was done just now, and Schedule returns it
	}
	for i := range h.parts {
		p := &h.parts[i]
		if p.node == nowhere {
			continue
		}
		tasks := c.Nodes()[p.node].Tasks
		task := slices.IndexFunc(tasks, func(t simulate.Task) bool { return int(t.Note[0]) == p.number })
		s.withdraw(c, p, task)
	}
	s.giveBack(c, h)
}

// Leave implements simulate.Leaver. No part of the job has run.
func (s *imprecise) Leave(_ *simulate.Cluster, j *simulate.Job) {
	h := s.byJob[j.ID]
	s.forget(h)
	s.ended = slices.DeleteFunc(s.ended, func(other *contract) bool { return other == h })
}

// giveBack returns a job to its user and charges it.
func (s *imprecise) giveBack(c *simulate.Cluster, h *contract) {
	c.Charge(h.job, s.forget(h))
	if h.job.Waiting() {
		c.Expire(h.job) // it had no mandatory length and never ran
		return
	}
	c.Return(h.job)
}

// impreciseBroker sends jobs to the sites of a grid. See newGrid.
type impreciseBroker struct{ sites []*imprecise }

// newGrid returns the policies of the given number of sites, all of one
// scheme, and the broker that sends a job to the first site with the largest gain in
// estimated budget. It refuses a job that no site accepts, for its deadline if no site can
// meet that. Kim, Buyya and Kim (2007), section 3.1.
func newGrid(s scheme, feasible bool, sites int) ([]simulate.Policy, simulate.Router) {
	b := &impreciseBroker{}
	policies := make([]simulate.Policy, sites)
	for i := range policies {
		p := newImprecise(s, feasible)
		b.sites = append(b.sites, p)
		policies[i] = p
	}
	return policies, b
}

// Route implements simulate.Router.
func (b *impreciseBroker) Route(j *simulate.Job, sites []*simulate.Cluster) (*simulate.Cluster, simulate.Reason) {
	h := b.sites[0].see(j)
	defer func() { b.sites[0].spare = append(b.sites[0].spare, h) }()
	refusal := simulate.Deadline
	var best *simulate.Cluster
	var most float64
	for i, c := range sites {
		gain, why := b.sites[i].gain(c, h)
		switch {
		case why == simulate.Return:
			refusal = why
		case why == simulate.NoReason && (best == nil || gain > most+policy.Slack*math.Abs(most)):
			best, most = c, gain
		}
		if best != nil && b.sites[i].scheme.isHard() {
			break // a job pays the same everywhere
		}
	}
	if best == nil {
		return nil, refusal
	}
	b.sites[best.Index()].agreed = j.ID + 1
	return best, simulate.NoReason
}

// Next implements simulate.Router: no other site would take the job.
func (b *impreciseBroker) Next(*simulate.Job, *simulate.Cluster, []*simulate.Cluster) *simulate.Cluster {
	return nil
}

// schemes returns the names of the schemes for imprecise jobs, in their order.
func schemes() []string {
	return []string{
		mandatoryEDF: "mf-edf", mandatoryHBF: "mf-hbf", mandatoryTime: "mf-timeshare",
		hardWhole: "hard-mo", hardMandatory: "hard-m",
	}
}

func Specs() []policy.Spec {
	titles := []string{"MF-EDF", "MF-HBF", "MF-TimeShare", "Hard-M+O", "Hard-M"}
	summaries := []string{
		"mandatory parts first, then optional ones by deadline",
		"mandatory parts first, then optional ones by budget rate",
		"mandatory parts first, then optional ones share what is left",
		"mandatory and optional part as one, by deadline", "mandatory parts alone, by deadline",
	}
	var specs []policy.Spec
	for i, name := range schemes() {
		specs = append(specs, policy.Spec{
			Name: name, Title: titles[i], Summary: summaries[i], Cost: 1e-4,
			Needs:   policy.Needs{Deadlines: true, Optional: true, Alike: true, Shared: true},
			Options: []policy.Option{{Name: "accept", Values: []string{"gain", "feasible"}}},
			Grid:    true,
			Make: func(s policy.Settings, c policy.Context) ([]simulate.Policy, simulate.Router, error) {
				feasible := s["accept"] == "feasible"
				if !c.Grid() {
					site := policy.PerSite(func(policy.Settings) simulate.Policy { return newImprecise(scheme(i), feasible) })
					return site(s, c)
				}
				policies, router := newGrid(scheme(i), feasible, len(c.Processors))
				return policies, router, nil
			},
		})
	}
	return specs
}

// KnowsRunTimes implements simulate.Informed: lengths are known.
func (s *imprecise) KnowsRunTimes() bool { return true }

package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// Scheme is a way to serve imprecise jobs, those with a mandatory and an
// optional length.
type Scheme uint8

// The schemes of Kim, Buyya and Kim (2007). Whatever the scheme, mandatory
// lengths come first, the earliest deadline before the others.
const (
	MandatoryEDF  Scheme = iota // MF-EDF: optional lengths by deadline
	MandatoryHBF                // MF-HBF: optional lengths by budget rate, the highest first
	MandatoryTime               // MF-TimeShare: optional lengths share the processors that are left
	HardWhole                   // Hard-M+O: both lengths as one, whole or nothing
	HardMandatory               // Hard-M: nothing but the mandatory length
)

// imprecise serves the jobs of one site. See NewImprecise.
type imprecise struct {
	scheme Scheme
	speed  float64 // of each processor

	urgent  []*held         // jobs by deadline
	lavish  []*held         // jobs by budget rate, for MandatoryHBF
	parts   []*part         // by number, which tasks carry as their note
	free    []int           // numbers not in use
	ended   []*held         // jobs whose last part is done
	agreed  int64           // ID, from 1, of the job that the broker has asked about and sends here
	byJob   map[int64]*held // by ID
	plan    plan
	sharing sharing
	posts   posts
}

// held is a job that a site has taken on.
type held struct {
	job   *simulate.Job
	terms simulate.Imprecise // as the scheme sees them
	due   float64            // time of the deadline
	rate  float64            // see simulate.Imprecise.Rate
	parts []part
	open  int // parts that are not done
}

// part is one of the independent parts of a job.
type part struct {
	of        *held
	number    int
	mandatory float64 // left, s at rate 1 on the reference
	optional  float64 // likewise
	node      int     // on which it runs; nowhere
	now       float64 // what was left of the length that runs, at the last sync
	wanted    bool    // is to run
	ready     float64 // time at which a plan has its mandatory length done
	goal      float64 // optional length given to all at which it is done, see share
	entered   float64 // optional length that share found it with
	gone      bool    // share has planned its end
	alike     int     // further parts of the job that share plans as it does this one
}

const nowhere = -1

// NewImprecise returns a site that serves imprecise jobs by the given scheme:
// mandatory lengths first, earliest deadline first and preemptive; then optional
// ones as the scheme says, none before the mandatory length of its own part is
// done. At its deadline a job is returned with what it has, and pays for every
// part the mandatory budget and the budget function at the executed length.
//
// A job is taken if every mandatory length, those of earlier jobs included, ends
// by its deadline, and if the budget estimated with it exceeds the one without.
// It is rejected for its deadline or for want of a return. A job that states no
// lengths is mandatory as a whole and pays its budget. Lengths are known: what
// users estimate is not looked at.
//
// Kim, Buyya and Kim (2007), section 3.
func NewImprecise(s Scheme) simulate.Piecemeal {
	return &imprecise{scheme: s, byJob: make(map[int64]*held)}
}

// seen returns the terms of a job as a scheme sees them.
func seen(s Scheme, j *simulate.Job) simulate.Imprecise {
	t := simulate.Imprecise{Mandatory: j.Work, Reward: j.Value.Price / float64(j.Width)}
	if i := j.Spec.Imprecise; i != nil {
		t = *i
	}
	switch s {
	case HardWhole:
		return simulate.Imprecise{Mandatory: t.Mandatory + t.Optional, Reward: t.Worth(t.Optional)}
	case HardMandatory:
		return simulate.Imprecise{Mandatory: t.Mandatory, Reward: t.Worth(0)}
	}
	return t
}

// see returns the job as the scheme sees it.
func (s *imprecise) see(j *simulate.Job) *held {
	h := &held{job: j, due: j.Submit + j.Value.Due, terms: seen(s.scheme, j)}
	h.rate = h.terms.Rate()
	if h.terms.Mandatory+h.terms.Optional > 0 {
		h.open = j.Width
	}
	h.parts = make([]part, j.Width)
	for i := range h.parts {
		h.parts[i] = part{of: h, mandatory: h.terms.Mandatory, optional: h.terms.Optional, node: nowhere}
	}
	return h
}

// Arrive implements simulate.Policy.
func (s *imprecise) Arrive(c *simulate.Cluster, j *simulate.Job) {
	h := s.see(j)
	if s.agreed != j.ID+1 {
		if _, why := s.gain(c, h); why != simulate.NoReason {
			c.Reject(j, why)
			return
		}
	}
	s.agreed = 0
	c.Admit(j)
	s.take(h)
	c.Timer(j, h.due)
}

// take enters a job into the books.
func (s *imprecise) take(h *held) {
	s.urgent = insert(s.urgent, h, sooner)
	if s.scheme == MandatoryHBF {
		s.lavish = insert(s.lavish, h, richer)
	}
	s.byJob[h.job.ID] = h
	if h.open == 0 {
		s.ended = append(s.ended, h)
	}
	for i := range h.parts {
		p := &h.parts[i]
		if n := len(s.free); n > 0 {
			p.number = s.free[n-1]
			s.free = s.free[:n-1]
			s.parts[p.number] = p
		} else {
			p.number = len(s.parts)
			s.parts = append(s.parts, p)
		}
	}
}

// sooner orders jobs by deadline, then by submission.
func sooner(a, b *held) int {
	return cmp.Or(cmp.Compare(a.due, b.due), cmp.Compare(a.job.ID, b.job.ID))
}

// richer orders jobs by budget rate, the highest first, then by deadline.
func richer(a, b *held) int { return cmp.Or(cmp.Compare(b.rate, a.rate), sooner(a, b)) }

// insert puts a job in its place.
func insert(list []*held, h *held, order func(a, b *held) int) []*held {
	i, _ := slices.BinarySearchFunc(list, h, order)
	return slices.Insert(list, i, h)
}

// remove takes a job out.
func remove(list []*held, h *held, order func(a, b *held) int) []*held {
	i, found := slices.BinarySearchFunc(list, h, order)
	if !found {
		panic("policy: imprecise job is not on the list")
	}
	return slices.Delete(list, i, i+1)
}

// optionals returns the jobs in the order in which their optional lengths run.
func (s *imprecise) optionals() []*held {
	if s.scheme == MandatoryHBF {
		return s.lavish
	}
	return s.urgent
}

// plan is the working memory of an estimate.
type plan struct {
	now   float64
	slots []slot    // heap by time
	until []float64 // times at which processors are free again, for share
}

// slot is a number of processors that are free again at the same time. The parts
// of a job are alike, so that it is mostly planned in few steps whatever its
// width.
type slot struct {
	time  float64
	count int
}

// gain returns by how much the budget of the site is estimated to grow with a
// job, or why the site cannot take it: for a mandatory length that would miss
// its deadline, or because nothing would be gained.
//
// Kim, Buyya and Kim (2007), sections 3.1 and 3.4.
func (s *imprecise) gain(c *simulate.Cluster, h *held) (float64, simulate.Reason) {
	s.speed = c.Nodes()[0].Speed
	now := c.Now()
	if !h.job.Value.Dated || late(now+h.terms.Mandatory/s.speed, h.due, now) {
		return 0, simulate.Deadline
	}
	s.sync(c)
	after, ok := s.estimate(c, h)
	if !ok {
		return 0, simulate.Deadline
	}
	before, _ := s.estimate(c, nil)
	if after-before <= slack*before {
		return after - before, simulate.Return
	}
	return after - before, simulate.NoReason
}

// estimate returns the budget that the jobs on the books and a further one,
// unless that is nil, would bring if no other came, and whether every mandatory
// length would end by its deadline.
//
// Mandatory lengths, by deadline, go each to the processor that is free first;
// then the optional lengths do, in the order of the scheme, each until it is
// done or its deadline comes, from the end of its own mandatory length on.
func (s *imprecise) estimate(c *simulate.Cluster, extra *held) (budget float64, ok bool) {
	w := &s.plan
	w.now = c.Now()
	w.slots = append(w.slots[:0], slot{w.now, c.Processors()})
	if extra == nil && s.scheme.isHard() {
		// The jobs on the books pay the same whenever they end, and
		// gain asks only after they were found to end in time with one more.
	} else if !with(s.urgent, extra, sooner, s.planMandatory) {
		return 0, false
	}
	if s.scheme == MandatoryTime {
		w.spread()
		return s.share(extra), true
	}
	order := sooner
	if s.scheme == MandatoryHBF {
		order = richer
	}
	with(s.optionals(), extra, order, func(h *held) bool {
		budget += s.planOptional(h)
		return true
	})
	return budget, true
}

// isHard reports whether the scheme knows no optional lengths.
func (s Scheme) isHard() bool { return s == HardWhole || s == HardMandatory }

// with calls visit for the jobs of a list and a further one in its place, while
// it returns true, and reports whether it always did.
func with(list []*held, extra *held, order func(a, b *held) int, visit func(*held) bool) bool {
	at := len(list)
	if extra != nil {
		at, _ = slices.BinarySearchFunc(list, extra, order)
	}
	for _, h := range list[:at] {
		if !visit(h) {
			return false
		}
	}
	if extra != nil && !visit(extra) {
		return false
	}
	for _, h := range list[at:] {
		if !visit(h) {
			return false
		}
	}
	return true
}

// planMandatory plans the mandatory lengths of a job and reports whether they
// end in time.
func (s *imprecise) planMandatory(h *held) bool {
	w := &s.plan
	for i := 0; i < len(h.parts); {
		p := &h.parts[i]
		p.ready = w.now
		if p.mandatory == 0 {
			i++
			continue
		}
		length, _ := p.lengths()
		ready := w.slots[0].time + length/s.speed
		if late(ready, h.due, w.now) {
			return false
		}
		// Parts that have as much left and still find the slot open do likewise.
		from := i
		for ; i < len(h.parts) && i-from < w.slots[0].count; i++ {
			p := &h.parts[i]
			if other, _ := p.lengths(); p.mandatory == 0 || other != length {
				break
			}
			p.ready = ready
		}
		w.occupy(i-from, ready)
	}
	return true
}

// late reports whether a time is past a deadline by more than rounding.
func late(at, due, now float64) bool { return at-due > 1e-12*(due-now)+1e-13*now }

// planOptional plans the optional lengths of a job and returns what it pays.
func (s *imprecise) planOptional(h *held) float64 {
	w := &s.plan
	var sum float64
	for i := 0; i < len(h.parts); {
		p := &h.parts[i]
		_, length := p.lengths()
		start := max(w.slots[0].time, p.ready)
		left, alike, end := length, len(h.parts), 0.0
		runs := left > 0 && start < h.due
		if runs {
			end = min(start+left/s.speed, h.due)
			left = max(left-(end-start)*s.speed, 0)
			alike = w.slots[0].count
		}
		worth := h.terms.Worth(h.terms.Optional - left)
		from := i
		for ; i < len(h.parts) && i-from < alike; i++ {
			q := &h.parts[i]
			if _, other := q.lengths(); other != length || q.ready != p.ready {
				break
			}
			sum += worth
		}
		if runs {
			w.occupy(i-from, end)
		}
	}
	return sum
}

// occupy gives a number of the processors that are free first, of one slot,
// something to do until the given time.
func (w *plan) occupy(count int, end float64) {
	if first := &w.slots[0]; first.count > count {
		first.count -= count
		w.push(slot{end, count})
		return
	}
	last, i, n := slot{end, count}, 0, len(w.slots)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && w.slots[child+1].time < w.slots[child].time {
			child++
		}
		if end <= w.slots[child].time {
			break
		}
		w.slots[i] = w.slots[child]
		i = child
	}
	w.slots[i] = last
}

// spread lists the processors one by one.
func (w *plan) spread() {
	w.until = w.until[:0]
	for _, t := range w.slots {
		for range t.count {
			w.until = append(w.until, t.time)
		}
	}
}

// push adds a slot.
func (w *plan) push(s slot) {
	i := len(w.slots)
	w.slots = append(w.slots, s)
	for i > 0 {
		up := (i - 1) / 2
		if w.slots[up].time <= s.time {
			break
		}
		w.slots[i] = w.slots[up]
		i = up
	}
	w.slots[i] = s
}

// sharing is the working memory of share.
type sharing struct {
	queue  []*part // by deadline; those before first have left
	first  int
	coming []*part // whose mandatory length is not done, by the time it will be
	early  int     // how many of them have come
	goals  []aim   // heap by goal: parts that have their share, and some that left
	at     float64 // time
	given  float64 // optional length that a part would have if it had been there all along
	active int     // parts that have their share
	budget float64 // of the parts that have left
	free   int     // processors that no mandatory length occupies
}

// aim is a part with its goal, beside it so that the heap need not look at the
// parts.
type aim struct {
	goal float64
	part *part
}

// share returns the estimated budget of MandatoryTime once the mandatory lengths
// are planned: n optional lengths at a time share the q processors that no
// mandatory length occupies, each at a rate of min(1, q/n). That changes when a
// mandatory length ends, or an optional one, or a deadline comes.
//
// All parts advance at one rate, so that a part is done when what each is given
// reaches what had been given when it came, plus its own length.
func (s *imprecise) share(extra *held) float64 {
	w := &s.sharing
	*w = sharing{queue: w.queue[:0], coming: w.coming[:0], goals: w.goals[:0], at: s.plan.now}
	with(s.urgent, extra, sooner, func(h *held) bool {
		for i := range h.parts {
			w.enter(&h.parts[i])
		}
		return true
	})
	slices.Sort(s.plan.until)
	slices.SortFunc(w.coming, func(a, b *part) int { return cmp.Compare(a.ready, b.ready) })
	for w.first < len(w.queue) {
		s.step()
	}
	return w.budget
}

// enter lets a part queue up. One that has as much left as the part before it,
// and is ready when that is, will fare as that does and is only counted.
func (w *sharing) enter(p *part) {
	_, left := p.lengths()
	p.goal, p.alike = left, 0
	p.gone = left <= slack*p.of.terms.Optional
	if n := len(w.queue); n > 0 && !p.gone {
		last := w.queue[n-1]
		if last.of == p.of && last.entered == left && last.ready == p.ready {
			last.alike++
			if p.ready <= w.at {
				w.active++
			}
			return
		}
	}
	p.entered = left
	switch {
	case p.gone:
		w.budget += p.of.terms.Worth(p.of.terms.Optional)
		return
	case p.ready > w.at:
		w.coming = append(w.coming, p)
	default:
		w.join(p)
	}
	w.queue = append(w.queue, p)
}

// join gives a part its share, whose goal is still its length.
func (w *sharing) join(p *part) {
	w.active += 1 + p.alike
	p.goal += w.given
	w.goals = append(w.goals, aim{p.goal, p})
	i := len(w.goals) - 1
	for i > 0 {
		up := (i - 1) / 2
		if w.goals[up].goal <= p.goal {
			break
		}
		w.goals[i] = w.goals[up]
		i = up
	}
	w.goals[i] = aim{p.goal, p}
}

// drop removes the part with the least goal from the heap.
func (w *sharing) drop() {
	n := len(w.goals) - 1
	last := w.goals[n]
	w.goals = w.goals[:n]
	i := 0
	for n > 0 {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && w.goals[child+1].goal < w.goals[child].goal {
			child++
		}
		if last.goal <= w.goals[child].goal {
			break
		}
		w.goals[i] = w.goals[child]
		i = child
	}
	if n > 0 {
		w.goals[i] = last
	}
}

// leave books what a part pays that has the given length left.
func (w *sharing) leave(p *part, left float64) {
	p.gone = true
	w.active -= 1 + p.alike
	w.budget += float64(1+p.alike) * p.of.terms.Worth(p.of.terms.Optional-left)
}

// step goes on to the next change.
func (s *imprecise) step() {
	w, until := &s.sharing, s.plan.until
	for len(w.goals) > 0 && w.goals[0].part.gone {
		w.drop()
	}
	for w.free < len(until) && until[w.free] <= w.at {
		w.free++
	}
	next := w.queue[w.first].of.due
	if w.free < len(until) {
		next = math.Min(next, until[w.free])
	}
	if w.early < len(w.coming) {
		next = math.Min(next, w.coming[w.early].ready)
	}
	rate, done := 0.0, math.Inf(1)
	if w.active > 0 {
		rate = s.speed * math.Min(1, float64(w.free)/float64(w.active))
		done = w.at + (w.goals[0].goal-w.given)/rate
	}
	next = math.Max(math.Min(next, done), w.at)
	if w.given += rate * (next - w.at); done <= next {
		// Late in a run a short length may take less than the clock resolves.
		w.given = math.Max(w.given, w.goals[0].goal)
	}
	w.at = next
	w.settle()
}

// settle lets the parts come and go whose time it is.
func (w *sharing) settle() {
	for len(w.goals) > 0 {
		p := w.goals[0].part
		if !p.gone {
			if w.goals[0].goal-w.given > slack*p.of.terms.Optional {
				break
			}
			w.leave(p, 0)
		}
		w.drop()
	}
	for w.early < len(w.coming) && w.coming[w.early].ready <= w.at {
		if p := w.coming[w.early]; !p.gone {
			w.join(p)
		}
		w.early++
	}
	for w.first < len(w.queue) && (w.queue[w.first].gone || w.queue[w.first].of.due <= w.at) {
		p := w.queue[w.first]
		if !p.gone {
			if p.ready > w.at { // its mandatory length ends with the deadline, but for rounding
				w.active += 1 + p.alike
				p.goal += w.given
			}
			w.leave(p, p.goal-w.given)
		}
		w.first++
	}
}

// posts is the working memory of a decision: who is to run, and where there is
// room.
type posts struct {
	mandatory []*part // to run alone on a processor
	optional  []*part // to run on the processors that are left
	reserved  []bool  // by node: a mandatory length runs there
}

// Schedule implements simulate.Policy: it returns what has ended and gives the
// processors to those that come first.
func (s *imprecise) Schedule(c *simulate.Cluster) {
	for _, h := range s.ended {
		s.giveBack(c, h)
	}
	s.ended = s.ended[:0]
	if len(s.urgent) == 0 {
		return
	}
	s.speed = c.Nodes()[0].Speed
	s.choose(c.Processors())
	s.stop(c)
	s.placeMandatory(c)
	s.placeOptional(c)
}

// choose says who is to run: mandatory lengths by deadline, then the optional
// ones. Under MandatoryTime all of these run where any processor is left.
func (s *imprecise) choose(processors int) {
	q := &s.posts
	q.mandatory, q.optional = q.mandatory[:0], q.optional[:0]
	for _, h := range s.urgent {
		for i := range h.parts {
			p := &h.parts[i]
			if p.wanted = p.mandatory > 0 && len(q.mandatory) < processors; p.wanted {
				q.mandatory = append(q.mandatory, p)
			}
		}
	}
	room := processors - len(q.mandatory)
	if room == 0 {
		return
	}
	for _, h := range s.optionals() {
		for i := range h.parts {
			p := &h.parts[i]
			if p.mandatory > 0 || p.optional == 0 {
				continue
			}
			if s.scheme != MandatoryTime && len(q.optional) == room {
				return
			}
			p.wanted = true
			q.optional = append(q.optional, p)
		}
	}
}

// stop withdraws whoever is no longer to run.
func (s *imprecise) stop(c *simulate.Cluster) {
	for _, n := range c.Nodes() {
		for i := len(n.Tasks) - 1; i >= 0; i-- {
			if p := s.parts[int(n.Tasks[i].Note[0])]; !p.wanted {
				s.withdraw(c, p)
			}
		}
	}
}

// placeMandatory gives every mandatory length that is to run a processor of its
// own: the one it has, an empty one, or one that optional lengths must leave.
func (s *imprecise) placeMandatory(c *simulate.Cluster) {
	q, nodes := &s.posts, c.Nodes()
	q.reserved = append(q.reserved[:0], make([]bool, len(nodes))...)
	for _, p := range q.mandatory {
		if p.node != nowhere {
			q.reserved[p.node] = true
		}
	}
	fewest := 0 // tasks on the processors that are tried first
	next := 0
	for _, p := range q.mandatory {
		for p.node == nowhere {
			if next == len(nodes) {
				next = 0
				fewest++
			}
			if n := nodes[next]; !q.reserved[next] && len(n.Tasks) <= fewest {
				for len(n.Tasks) > 0 {
					s.withdraw(c, s.parts[int(n.Tasks[0].Note[0])])
				}
				s.place(c, p, next)
				q.reserved[next] = true
			}
			next++
		}
	}
}

// placeOptional spreads the optional lengths that are to run over the processors
// that are left, so that none has two more than another. A part that runs stays
// where it is as far as that allows.
func (s *imprecise) placeOptional(c *simulate.Cluster) {
	q, nodes := &s.posts, c.Nodes()
	room := len(nodes) - len(q.mandatory)
	if room == 0 || len(q.optional) == 0 {
		return
	}
	each, over := len(q.optional)/room, len(q.optional)%room
	for i, n := range nodes {
		if q.reserved[i] {
			continue
		}
		most := each
		if len(n.Tasks) > each && over > 0 {
			most++
			over--
		}
		for len(n.Tasks) > most {
			s.withdraw(c, s.parts[int(n.Tasks[len(n.Tasks)-1].Note[0])])
		}
	}
	next := 0
	for _, p := range q.optional {
		for p.node == nowhere {
			if next == len(nodes) {
				next, each = 0, each+1
			}
			if !q.reserved[next] && len(nodes[next].Tasks) < each {
				s.place(c, p, next)
			} else {
				next++
			}
		}
	}
}

// Done implements simulate.Piecemeal: a length of a part has ended.
func (s *imprecise) Done(_ *simulate.Cluster, t *simulate.Task) {
	p := s.parts[int(t.Note[0])]
	p.node = nowhere
	if p.mandatory > 0 {
		p.mandatory = 0
	} else {
		p.optional = 0
	}
	if p.mandatory == 0 && p.optional == 0 {
		if p.of.open--; p.of.open == 0 {
			s.ended = append(s.ended, p.of)
		}
	}
}

// Timer implements simulate.Timed: the deadline of a job has come.
func (s *imprecise) Timer(c *simulate.Cluster, j *simulate.Job) {
	h := s.byJob[j.ID]
	if h.open == 0 {
		return // its last part was done just now, and Schedule returns it
	}
	for i := range h.parts {
		s.withdraw(c, &h.parts[i])
	}
	s.giveBack(c, h)
}

// Leave implements simulate.Leaver: a job gives up none of whose parts has run.
func (s *imprecise) Leave(_ *simulate.Cluster, j *simulate.Job) {
	h := s.byJob[j.ID]
	s.forget(h)
	s.ended = slices.DeleteFunc(s.ended, func(other *held) bool { return other == h })
}

// forget takes a job off the lists and returns what it pays as it is.
func (s *imprecise) forget(h *held) (pays float64) {
	s.urgent = remove(s.urgent, h, sooner)
	if s.scheme == MandatoryHBF {
		s.lavish = remove(s.lavish, h, richer)
	}
	delete(s.byJob, h.job.ID)
	for i := range h.parts {
		p := &h.parts[i]
		pays += p.pays()
		s.parts[p.number] = nil
		s.free = append(s.free, p.number)
	}
	return pays
}

// giveBack returns a job to its user, who pays.
func (s *imprecise) giveBack(c *simulate.Cluster, h *held) {
	c.Charge(h.job, s.forget(h))
	if h.job.Waiting() {
		c.Expire(h.job) // nothing of it was mandatory, and its turn never came
		return
	}
	c.Return(h.job)
}

// pays returns what a part pays as it is: nothing before its mandatory length
// is done, but for rounding.
func (p *part) pays() float64 {
	if p.mandatory > slack*p.of.terms.Mandatory {
		return 0
	}
	return p.of.terms.Worth(p.of.terms.Optional - p.optional)
}

// lengths returns what is left now of both lengths, once sync has been called.
func (p *part) lengths() (mandatory, optional float64) {
	switch {
	case p.node == nowhere:
		return p.mandatory, p.optional
	case p.mandatory > 0:
		return p.now, p.optional
	}
	return 0, p.now
}

// left returns what is left of the length that the part runs or would run.
func (p *part) left() *float64 {
	if p.mandatory > 0 {
		return &p.mandatory
	}
	return &p.optional
}

// withdraw stops a part that runs.
func (s *imprecise) withdraw(c *simulate.Cluster, p *part) {
	if p.node == nowhere {
		return
	}
	tasks := c.Nodes()[p.node].Tasks
	for i := range tasks {
		if int(tasks[i].Note[0]) == p.number {
			*p.left() = c.Withdraw(p.node, i) * s.speed
			p.node = nowhere
			return
		}
	}
	panic("policy: part of an imprecise job is not where it should run")
}

// place runs a part on a node.
func (s *imprecise) place(c *simulate.Cluster, p *part, node int) {
	note := [2]float64{float64(p.number), 0}
	if p.mandatory == 0 {
		note[1] = 1
	}
	h := p.of
	first := h.job.Waiting()
	c.Place(h.job, node, *p.left()/s.speed, note)
	if first {
		c.Timer(h.job, h.due) // its start has cleared the one set on arrival
	}
	p.node = node
}

// SetRates implements simulate.Sharing: whoever is on a node has an equal share
// of it. That is more than one part only under MandatoryTime, and then they are
// all in their optional lengths.
func (s *imprecise) SetRates(n *simulate.Node, _ float64) {
	for i := range n.Tasks {
		n.Tasks[i].Rate = 1 / float64(len(n.Tasks))
	}
}

// sync notes what is left now of the parts that run.
func (s *imprecise) sync(c *simulate.Cluster) {
	now := c.Now()
	for _, n := range c.Nodes() {
		for i := range n.Tasks {
			p := s.parts[int(n.Tasks[i].Note[0])]
			p.now = max(n.Left(i, now), 0) * s.speed
		}
	}
}

// impreciseBroker sends jobs to the sites of a grid. See NewImpreciseGrid.
type impreciseBroker struct {
	sites []*imprecise
	why   simulate.Reason
}

// NewImpreciseGrid returns the policies of the given number of sites, all of one
// scheme, and the broker that sends a job to the site with the largest gain in
// estimated budget, the first of these. It refuses a job that brings no site a
// gain, for its deadline where no site can meet that. Kim, Buyya and Kim (2007),
// section 3.1.
func NewImpreciseGrid(s Scheme, sites int) ([]simulate.Policy, simulate.Refuser) {
	b := &impreciseBroker{}
	policies := make([]simulate.Policy, sites)
	for i := range policies {
		p := NewImprecise(s)
		b.sites = append(b.sites, p.(*imprecise))
		policies[i] = p
	}
	return policies, b
}

// Route implements simulate.Broker.
func (b *impreciseBroker) Route(j *simulate.Job, sites []*simulate.Cluster) *simulate.Cluster {
	h := b.sites[0].see(j)
	b.why = simulate.Deadline
	var best *simulate.Cluster
	var most float64
	for i, c := range sites {
		gain, why := b.sites[i].gain(c, h)
		switch {
		case why == simulate.Return:
			b.why = why
		case why == simulate.NoReason && gain > most*(1+slack):
			best, most = c, gain
		}
	}
	if best != nil {
		b.sites[best.Index()].agreed = j.ID + 1
	}
	return best
}

// Refusal implements simulate.Refuser.
func (b *impreciseBroker) Refusal() simulate.Reason { return b.why }

// Schemes returns the names of the schemes for imprecise jobs, in their order.
func Schemes() []string {
	return []string{MandatoryEDF: "mf-edf", MandatoryHBF: "mf-hbf", MandatoryTime: "mf-timeshare", HardWhole: "hard-mo", HardMandatory: "hard-m"}
}

// impreciseSpecs are the schemes as policies.
func impreciseSpecs() []Spec {
	titles := []string{"MF-EDF", "MF-HBF", "MF-TimeShare", "Hard-M+O", "Hard-M"}
	summaries := []string{
		"mandatory parts first, then optional ones by deadline", "mandatory parts first, then optional ones by budget rate",
		"mandatory parts first, then optional ones share what is left", "mandatory and optional part as one, by deadline", "mandatory parts alone, by deadline",
	}
	var specs []Spec
	for i, name := range Schemes() {
		specs = append(specs, Spec{
			Name: name, Title: titles[i], Summary: summaries[i], Needs: Needs{Deadlines: true, Optional: true, Alike: true, Shared: true}, Cost: 1e-4,
			New: func(Settings) simulate.Policy { return NewImprecise(Scheme(i)) },
			Grid: func(_ Settings, sites int) ([]simulate.Policy, simulate.Broker) {
				return NewImpreciseGrid(Scheme(i), sites)
			},
		})
	}
	return specs
}

package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// books holds the jobs of a site for estimates of their pay. It is updated when an
// estimate needs it.
type books struct {
	changed []*held           // jobs whose entries in the lists are out of date
	lists   [2]ordered[group] // in the orders of mandatory and optional lengths; one list if the orders agree
	ends    ordered[ending]

	groups  []group // working memory
	endings []ending
}

// note is the entry of a job in the books.
type note struct {
	changed bool // the job is in books.changed
	gone    bool // the job has left
	groups  int  // the number of groups in the lists
	ends    []ending

	// The plan that postponed mandatory lengths of the job, of all parts from the first on,
	// and the index of their pieces.
	plan, first, pieces int
}

// place is the place of consecutive parts of a job in an order.
type place struct {
	key          float64 // the least first
	due          float64 // then the earliest
	held         *held   // then the job that came first
	first, count int32   // then by index
}

func (a *place) compare(b *place) int {
	switch {
	case a.key != b.key:
		return cmp.Compare(a.key, b.key)
	case a.due != b.due:
		return cmp.Compare(a.due, b.due)
	case a.held != b.held:
		return cmp.Compare(a.held.job.ID, b.held.job.ID)
	}
	return cmp.Compare(a.first, b.first)
}

// group is parts of a job that are alike. Lengths are in seconds on a processor
// of the site.
type group struct {
	place
	left  [2]float64 // of both lengths; that of the running length at since
	since float64
	rate  float64 // of the running length; 0 if none runs

	optional float64 // length, in all
	full     float64 // $ that a part pays if all is done
	slope    float64 // $ lost per second that is not done; NaN if it varies
}

// ending is the time at which running parts end a length if no further job comes: the
// mandatory length, or the optional length if it runs or follows at once. The ends of
// optional lengths that share are unknown.
type ending struct {
	time float64
	kind int
	place
}

func (a *ending) compare(b *ending) int {
	switch {
	case a.time != b.time:
		return cmp.Compare(a.time, b.time)
	case a.kind != b.kind:
		return cmp.Compare(a.kind, b.kind)
	}
	return a.place.compare(&b.place)
}

// whole returns the parts of a job that has not begun, in both orders.
func (s *imprecise) whole(h *held) [2]group {
	m, o := h.terms.Mandatory/s.speed, h.terms.Optional/s.speed
	g := group{
		place: place{h.due, h.due, h, 0, int32(h.job.Width)}, left: [2]float64{m, o},
		optional: o, full: h.terms.Worth(h.terms.Optional),
	}
	switch b := h.terms.Bonus.(type) {
	case nil:
	case simulate.Linear:
		g.slope = float64(b) * s.speed
	default:
		g.slope = math.NaN()
	}
	both := [2]group{g, g}
	if s.scheme == MandatoryHBF {
		both[optional].key = -h.rate
	}
	return both
}

// list returns the list of groups as lengths of a kind come.
func (s *imprecise) list(kind int) *ordered[group] {
	if s.scheme == MandatoryHBF {
		return &s.books.lists[kind]
	}
	return &s.books.lists[mandatory]
}

// open returns the number of parts whose length of a kind is not done.
func (g *group) open(kind int) int {
	if g.left[kind] == 0 {
		return 0
	}
	return int(g.count)
}

// lengths returns the rests of both lengths at a time.
func (g *group) lengths(now float64) (m, o float64) {
	m, o = g.left[mandatory], g.left[optional]
	if g.rate > 0 {
		left := &m
		if m == 0 {
			left = &o
		}
		if *left -= g.rate * (now - g.since); *left < 0 {
			*left = 0
		}
	}
	return m, o
}

// worth returns the pay of a part with the given rest of its optional length.
func (s *imprecise) worth(g *group, left float64) float64 {
	if g.slope != g.slope { // NaN
		return g.held.terms.Worth(g.held.terms.Optional - left*s.speed)
	}
	return g.full - g.slope*left
}

// change marks the entry of a job as out of date.
func (s *imprecise) change(h *held) {
	if h.note.changed {
		return
	}
	h.note.changed = true
	b := &s.books
	if b.changed = append(b.changed, h); len(b.changed) > 2*len(s.byJob)+100 {
		s.refresh() // most of them have left
	}
}

func (s *imprecise) refresh() {
	b := &s.books
	for _, h := range b.changed {
		h.note.changed = false
		b.groups, b.endings = b.groups[:0], b.endings[:0]
		both := s.whole(h)
		if !h.note.gone {
			s.group(h, both[mandatory])
			s.findEnds(both[optional].key)
		}
		if !slices.Equal(h.note.ends, b.endings) {
			for _, e := range h.note.ends {
				b.ends.remove(e)
			}
			h.note.ends = append(h.note.ends[:0], b.endings...)
			for _, e := range h.note.ends {
				b.ends.insert(e)
			}
		}
		replace(&b.lists[mandatory], both[mandatory], h.note.groups, b.groups)
		if s.scheme == MandatoryHBF {
			for i := range b.groups {
				b.groups[i].key = both[optional].key
			}
			replace(&b.lists[optional], both[optional], h.note.groups, b.groups)
		}
		if h.note.groups = len(b.groups); h.note.gone {
			s.spare = append(s.spare, h)
		}
	}
	b.changed = b.changed[:0]
}

func replace(list *ordered[group], first group, old int, groups []group) {
	at := list.seek(&first)
	list.list = slices.Replace(list.list, at, at+old, groups...)
}

func (s *imprecise) group(h *held, whole group) {
	b := &s.books
	for i := range h.parts {
		p := &h.parts[i]
		g := whole
		g.first, g.count = int32(i), 1
		g.left[mandatory], g.left[optional] = p.left[mandatory]/s.speed, p.left[optional]/s.speed
		if p.node != nowhere {
			g.left[p.kind()], g.since, g.rate = p.work, p.since, p.rate
		}
		if n := len(b.groups); n > 0 {
			if last := &b.groups[n-1]; last.left == g.left && last.since == g.since && last.rate == g.rate {
				last.count++
				continue
			}
		}
		b.groups = append(b.groups, g)
	}
}

// findEnds finds the times at which the groups of a job end, given the place of
// the job among optional lengths.
func (s *imprecise) findEnds(key float64) {
	b := &s.books
	for i := range b.groups {
		g := &b.groups[i]
		if g.rate == 0 {
			continue
		}
		e := ending{g.since, mandatory, g.place}
		if g.left[mandatory] > 0 {
			e.time += g.left[mandatory]
			b.endings = append(b.endings, e)
		}
		if g.left[optional] == 0 || s.scheme == MandatoryTime {
			continue
		}
		if e.kind, e.key = optional, key; e.time < g.due {
			e.time = min(e.time+g.left[optional], g.due)
		} else {
			e.time = 0 // it never starts
		}
		b.endings = append(b.endings, e)
	}
}

// most returns the pay of a job that could start at once, which is the largest possible
// gain, and whether it would be in time.
func (s *imprecise) most(c *simulate.Cluster, h *held) (float64, bool) {
	w := &s.plan
	s.speed, w.now, w.processors = c.Speed(), c.Now(), c.Processors()
	if !h.job.Value.Dated || late(w.now+h.terms.Mandatory/s.speed, h.due, w.now) {
		return 0, false
	}
	w.extra = s.whole(h)
	return float64(h.job.Width) * s.alone(&w.extra[optional]), true
}

// gain returns the estimated growth of the site's budget with a job, or the reason why the
// site cannot take it: a mandatory length would miss its deadline, or there is no gain.
//
// Kim, Buyya and Kim (2007), sections 3.1 and 3.4.
func (s *imprecise) gain(c *simulate.Cluster, h *held) (float64, simulate.Reason) {
	w := &s.plan
	gain, ok := s.most(c, h)
	if ok && !s.fits(h) {
		s.refresh()
		s.divide(&w.extra)
		var after float64
		if after, ok = s.estimate(&w.extra, math.Inf(1)); ok && !s.scheme.isHard() {
			// With a job less, no processor is free later.
			before, _ := s.estimate(nil, w.time*(1+slack))
			gain = after - before
		}
	}
	switch {
	case !ok:
		return 0, simulate.Deadline
	case s.feasible || gain > slack*s.ceiling || gain > 0 && gain > slack*s.budget():
		return gain, simulate.NoReason
	}
	return gain, simulate.Return
}

// budget returns the estimated pay of the jobs on the books.
func (s *imprecise) budget() float64 {
	s.refresh()
	for k := range s.plan.borders {
		s.plan.borders[k] = border{others: s.open[k], all: true}
	}
	budget, _ := s.estimate(nil, math.Inf(1))
	return budget
}

// fits reports whether all lengths on the books and of a further job can start at once.
func (s *imprecise) fits(h *held) bool {
	if s.scheme == MandatoryTime {
		return s.undone+h.undone <= s.plan.processors
	}
	return s.open[mandatory]+s.open[optional]+h.open[mandatory]+h.open[optional] <= s.plan.processors
}

// late reports whether a time is past a deadline by more than rounding.
func late(at, due, now float64) bool { return at-due > 1e-12*(due-now)+1e-13*now }

// alone returns the pay of a part that starts at once.
func (s *imprecise) alone(g *group) float64 {
	start, left := s.plan.now+g.left[mandatory], g.left[optional]
	if start < g.due {
		left = max(left-(g.due-start), 0)
	}
	return s.worth(g, left)
}

// plan is the working memory of an estimate.
type plan struct {
	now        float64
	horizon    float64 // the last deadline
	processors int
	extra      [2]group  // the job in question, in both orders
	borders    [2]border // of mandatory and optional lengths

	time   float64  // of the next free processors
	count  int      // of these processors
	ends   []ending // the next ends of running parts
	slots  calendar // the ends of planned lengths
	latest float64  // no processor is needed after this time
	number int      // of the plan
	pieces []piece
	budget float64
}

// piece is a number of mandatory lengths that are planned to end at a time.
type piece struct {
	ready float64
	count int
}

// border divides an order of lengths: those before it start at once.
type border struct {
	place        // of the first part after the border, if any is
	all     bool // all are after it
	at      int  // in the list: the first group after the border that is on the books
	others  int  // lengths after the border of jobs on the books
	further int  // and of a further job
}

// divide finds the borders of a plan with a further job. The first mandatory lengths
// start at once, one per processor; if processors are left, so do the first optional
// lengths, even if the mandatory lengths of their parts are not done.
//
// If something has happened at this instant that Schedule has not seen, the running parts
// are not those of the plan, and all lengths are after the borders. So are lengths that
// share.
func (s *imprecise) divide(extra *[2]group) {
	w := &s.plan
	left := w.processors
	for k := range w.borders {
		after := s.open[k] + extra[k].open(k) - left
		left = max(-after, 0)
		if s.unsettled || s.scheme == MandatoryTime && k == optional {
			w.borders[k] = border{others: s.open[k], further: extra[k].open(k), all: true}
		} else {
			w.borders[k] = makeBorder(s.list(k), k, &extra[k], after)
		}
	}
}

// makeBorder returns the border with the given number of lengths after it.
func makeBorder(list *ordered[group], kind int, extra *group, after int) border {
	b := border{at: len(list.list)}
	for seen := extra.left[kind] == 0; after > 0; {
		g, sum := extra, &b.further
		if seen || b.at > 0 && extra.compare(&list.list[b.at-1].place) <= 0 {
			b.at--
			g, sum = &list.list[b.at], &b.others
		} else {
			seen = true
		}
		n := min(after, g.open(kind))
		after -= n
		*sum += n
		b.place = g.place
		b.first += g.count - int32(n)
	}
	return b
}

// before returns the number of parts at a place that are before the border.
func (b *border) before(p *place) int {
	switch {
	case b.all:
		return 0
	case b.held == p.held:
		return int(min(max(b.first-p.first, 0), p.count))
	case b.held == nil || p.compare(&b.place) < 0:
		return int(p.count)
	}
	return 0
}

// estimate returns the budget of the jobs on the books and of a further job, unless that
// is nil, if no other job came, and whether every mandatory length would end by its
// deadline. The budget covers the further job and the optional lengths after the border.
//
// Mandatory lengths, by deadline, go to the processor that is free first. Optional
// lengths follow in the order of the scheme, each after the mandatory length of its part,
// until it is done or due.
func (s *imprecise) estimate(extra *[2]group, latest float64) (budget float64, ok bool) {
	w := &s.plan
	w.number++
	w.time, w.count, w.latest, w.pieces, w.budget = w.now, w.processors, latest, w.pieces[:0], 0
	if w.ends = s.books.ends.list; w.borders[mandatory].all {
		w.ends = nil
	}
	w.horizon = w.now
	if last := s.list(mandatory).last(); last != nil {
		w.horizon = last.due
	}
	if extra != nil {
		w.horizon = max(w.horizon, extra[mandatory].due)
	}
	w.slots.reset(w.now, w.horizon-w.now, 2*len(s.byJob))
	for k := range w.borders {
		w.count -= s.open[k] - w.borders[k].others
	}
	if extra != nil {
		s.begin(extra)
	}
	if !s.each(mandatory, extra, (*imprecise).planMandatory) {
		return 0, false
	}
	switch {
	case s.scheme == MandatoryTime:
		return w.budget + s.share(extra), true
	case !s.scheme.isHard() || extra == nil:
		s.each(optional, extra, (*imprecise).planOptional)
	}
	return w.budget, true
}

// begin plans the lengths of a further job that start at once.
func (s *imprecise) begin(extra *[2]group) {
	w := &s.plan
	g := &extra[optional]
	g.held.note.plan = 0
	ready := w.now + g.left[mandatory]
	if n := g.open(mandatory) - w.borders[mandatory].further; n > 0 {
		w.count -= n
		w.slots.push(ready, n)
	}
	n := g.open(optional) - w.borders[optional].further
	if n > 0 && ready < g.due {
		w.count -= n
		w.slots.push(min(ready+g.left[optional], g.due), n)
	}
	if g.left[optional] == 0 {
		n = int(g.count)
	}
	w.budget += float64(n) * s.alone(g)
}

// visitor plans the lengths of a group, without the given number before the border, and
// reports whether to continue.
type visitor func(s *imprecise, g *group, skip int) bool

// each calls visit for the groups after a border until it returns false, and reports
// whether it never did.
func (s *imprecise) each(kind int, extra *[2]group, visit visitor) bool {
	list, b := s.list(kind), &s.plan.borders[kind]
	if extra == nil || b.further == 0 {
		return s.walk(b, list.list[b.at:], visit)
	}
	g := &extra[kind]
	place := list.seek(g)
	return s.walk(b, list.list[b.at:place], visit) && visit(s, g, int(g.count)-b.further) &&
		s.walk(b, list.list[place:], visit)
}

// walk calls visit for groups behind a border.
func (s *imprecise) walk(b *border, groups []group, visit visitor) bool {
	for i := range groups {
		g, skip := &groups[i], 0
		if g.held == b.held {
			skip = b.before(&g.place)
		}
		if !visit(s, g, skip) {
			return false
		}
	}
	return true
}

// nextSlot finds the processors that become free next, if none is free.
func (s *imprecise) nextSlot() {
	w := &s.plan
	for w.count == 0 {
		limit := math.Inf(1)
		if len(w.ends) > 0 {
			limit = w.ends[0].time
		}
		if first := w.slots.first(limit); first != nil {
			w.time, w.count = first.time, int(first.value)
			w.slots.pop()
			continue
		}
		if w.time = max(limit, w.now); len(w.ends) == 0 {
			return
		}
		e := &w.ends[0]
		w.count = w.borders[e.kind].before(&e.place)
		w.ends = w.ends[1:]
	}
}

// occupy uses up to count free processors until end, and returns their number.
func (w *plan) occupy(count int, end float64) int {
	count = min(count, w.count)
	w.count -= count
	if end <= w.latest {
		w.slots.add(end, count)
	}
	return count
}

// planMandatory plans mandatory lengths and reports whether they end in time.
func (s *imprecise) planMandatory(g *group, skip int) bool {
	if g.left[mandatory] == 0 {
		return true
	}
	w := &s.plan
	if n := &g.held.note; n.plan != w.number && !s.scheme.isHard() {
		n.plan, n.first, n.pieces = w.number, int(g.first)+skip, len(w.pieces)
	}
	length, _ := g.lengths(w.now)
	for n := int(g.count) - skip; n > 0; {
		s.nextSlot()
		end := w.time + length
		if late(end, g.due, w.now) {
			return false
		}
		count := w.occupy(n, end)
		n -= count
		if !s.scheme.isHard() {
			w.pieces = append(w.pieces, piece{end, count})
		}
	}
	return true
}

// planOptional plans optional lengths and adds their pay to the budget.
func (s *imprecise) planOptional(g *group, skip int) bool {
	w := &s.plan
	m, left := g.lengths(w.now)
	if left == 0 {
		w.budget += float64(g.count) * g.full
		return true
	}
	for n := int(g.count) - skip; n > 0; {
		count, ready := s.ready(g, m, n)
		n -= count
		for count > 0 {
			if s.nextSlot(); ready >= g.due || w.time >= g.due {
				w.budget += float64(count) * s.worth(g, left)
				break
			}
			end, rest := w.time+left, 0.0
			if ready > w.time {
				end = ready + left
			}
			if end > g.due {
				end, rest = g.due, end-g.due
			}
			some := w.occupy(count, end)
			w.budget += float64(some) * s.worth(g, rest)
			count -= some
		}
	}
	return true
}

// ready returns when the mandatory lengths of parts of a group are done, and of
// how many, given what is left of these and how many parts, the last ones, are
// left to be asked about.
func (s *imprecise) ready(g *group, left float64, parts int) (count int, ready float64) {
	w := &s.plan
	if left == 0 && g.left[mandatory] == 0 {
		return parts, w.now
	}
	if b := &w.borders[mandatory]; b.others+b.further > 0 && g.held.note.plan == w.number {
		if before := g.held.note.first - (int(g.first+g.count) - parts); before <= 0 {
			p := w.pieces[g.held.note.pieces]
			g.held.note.pieces++
			return p.count, p.ready
		} else {
			parts = min(parts, before)
		}
	}
	return parts, w.now + left
}

// sharing is the working memory of share.
type sharing struct {
	queue  []sharer // by deadline; entries before first have left
	first  int
	coming calendar // entries with a mandatory length, by its end
	goals  calendar // entries that share, by goal
	at     float64  // time
	given  float64  // optional length of a part that shares from the beginning
	active int      // parts that share
	budget float64  // of the parts that have left
	free   int      // processors that no mandatory length occupies
}

// sharer is a number of parts of a group that share.
type sharer struct {
	*group
	count        int32
	joined, gone bool
	goal         float64 // the value of given at which they are done; before they share, their rest
	until        float64 // deadline
	slack        float64 // a rest that counts as done
}

// share returns the estimated budget of MandatoryTime after the mandatory lengths are
// planned: n optional lengths share the q processors without a mandatory length, each at
// the rate min(1, q/n). The rate changes when a length ends or a deadline comes.
//
// All parts advance at one rate, so that a part is done when the length given to each has
// grown by the part's rest.
func (s *imprecise) share(extra *[2]group) float64 {
	w, span, size := &s.sharing, s.plan.horizon-s.plan.now, 2*len(s.byJob)
	w.queue, w.first, w.at, w.given, w.active, w.budget, w.free = w.queue[:0], 0, s.plan.now, 0, 0, 0, 0
	w.coming.reset(w.at, span, size)
	w.goals.reset(0, span, size)
	s.each(optional, extra, (*imprecise).enter)
	for w.first < len(w.queue) {
		s.step()
	}
	return w.budget
}

func (s *imprecise) enter(g *group, _ int) bool {
	w := &s.sharing
	m, left := g.lengths(w.at)
	if left <= slack*g.optional {
		w.budget += float64(g.count) * g.full
		return true
	}
	for n := int(g.count); n > 0; {
		count, ready := s.ready(g, m, n)
		n -= count
		w.queue = append(w.queue, sharer{group: g, count: int32(count), goal: left, until: g.due, slack: slack * g.optional})
		if i := len(w.queue) - 1; ready > w.at {
			w.coming.push(ready, i)
		} else {
			w.join(i)
		}
	}
	return true
}

// join lets parts share. It drops a goal that they cannot reach by the deadline even at
// rate 1.
func (w *sharing) join(i int) {
	p := &w.queue[i]
	p.joined = true
	w.active += int(p.count)
	within := p.goal <= p.until-w.at+2*p.slack
	if p.goal += w.given; within {
		w.goals.push(p.goal, i)
	}
}

// leave adds the pay of parts with the given rest to the budget.
func (s *imprecise) leave(p *sharer, left float64) {
	p.gone = true
	s.sharing.active -= int(p.count)
	s.sharing.budget += float64(p.count) * s.worth(p.group, left)
}

// goal returns the goal that is reached next, or nil.
func (w *sharing) goal() *calendarEntry {
	for {
		first := w.goals.first(math.Inf(1))
		if first == nil || !w.queue[first.value].gone {
			return first
		}
		w.goals.pop()
	}
}

// step advances to the next change, and lets parts join and leave.
func (s *imprecise) step() {
	w := &s.sharing
	for s.nextSlot(); s.plan.time <= w.at; s.nextSlot() {
		w.free += s.plan.count
		s.plan.count = 0
	}
	next := min(w.queue[w.first].until, s.plan.time)
	first, goal := w.coming.first(next), w.goal()
	if first != nil {
		next = first.time
	}
	rate, done := 0.0, math.Inf(1)
	if w.active > 0 {
		rate = math.Min(1, float64(w.free)/float64(w.active))
		if goal != nil {
			done = w.at + (goal.time-w.given)/rate
		}
	}
	next = max(min(next, done), w.at)
	if w.given += rate * (next - w.at); done <= next {
		// Late in a run a short length may take less than the clock resolves.
		w.given = max(w.given, goal.time)
	}
	w.at = next
	for ; goal != nil && goal.time-w.given <= w.queue[goal.value].slack; goal = w.goal() {
		s.leave(&w.queue[goal.value], 0)
	}
	for ; first != nil && first.time <= w.at; first = w.coming.first(w.at) {
		w.coming.pop()
		if i := int(first.value); !w.queue[i].gone {
			w.join(i)
		}
	}
	for ; w.first < len(w.queue); w.first++ {
		p := &w.queue[w.first]
		if p.gone {
			continue
		}
		if p.until > w.at {
			break
		}
		if !p.joined { // its mandatory length ends at the deadline, up to rounding
			w.active += int(p.count)
			p.goal += w.given
		}
		s.leave(p, p.goal-w.given)
	}
}

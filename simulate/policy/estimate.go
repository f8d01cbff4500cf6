package policy

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate"
)

// books is what a site knows of its jobs to estimate what they will pay. It is
// brought up to date when an estimate needs it.
type books struct {
	changed []*held           // jobs that the lists do not have as they are
	lists   [2]ordered[group] // as mandatory, as optional lengths come; where these come alike, the first is both
	ends    ordered[ending]

	groups  []group // working memory
	endings []ending
}

// note is what the books have of a job.
type note struct {
	changed bool // is among those
	gone    bool // the job has left
	groups  int  // how many are listed
	ends    []ending

	// Of a plan that has put off mandatory lengths of the job: those of all parts
	// from the first on, to the pieces that begin here. Other plans put off none.
	plan, first, pieces int
}

// place is where parts of a job, one after the other, are in an order.
type place struct {
	key          float64 // the least first
	due          float64 // then the earliest
	held         *held   // then the job that came first
	first, count int32   // then by index
}

// compare orders places.
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
	left  [2]float64 // of both lengths; of the one that runs, at a time
	since float64    // when it advanced
	rate  float64    // so fast; 0 if none runs

	optional float64 // length, in all
	full     float64 // $ that a part pays if all is done
	slope    float64 // $ that it pays less for a second that is not; NaN if that varies
}

// ending is the time at which parts that run now are through with a length: with
// the mandatory one for sure, as long as no further job comes; with the optional
// one if it runs or follows at once. Optional lengths that share end at no time
// known beforehand.
type ending struct {
	time float64
	kind int
	place
}

// compare orders endings.
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
	g := group{place: place{h.due, h.due, h, 0, int32(h.job.Width)}, left: [2]float64{m, o}, optional: o, full: h.terms.Worth(h.terms.Optional)}
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

// open returns how many parts have a length that is not done.
func (g *group) open(kind int) int {
	if g.left[kind] == 0 {
		return 0
	}
	return int(g.count)
}

// lengths returns what is left of both lengths at a time.
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

// worth returns what a part pays with so much of its optional length left.
func (s *imprecise) worth(g *group, left float64) float64 {
	if g.slope != g.slope { // NaN
		return g.held.terms.Worth(g.held.terms.Optional - left*s.speed)
	}
	return g.full - g.slope*left
}

// change notes that the books do not have a job as it is.
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

// refresh brings the books up to date.
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

// replace puts other groups of a job in the place of so many old ones.
func replace(list *ordered[group], first group, old int, groups []group) {
	for ; old > len(groups); old-- {
		list.removeAt(list.seek(first))
	}
	if old > 0 {
		at := list.seek(first)
		for i := range old {
			*list.at(at) = groups[i]
			at = list.after(at)
		}
	}
	for _, g := range groups[old:] {
		list.insert(g)
	}
}

// group finds the groups of a job.
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

// most returns what a job would bring with nothing in its way, which is as much
// as the site can gain by it, and whether it could be in time then.
func (s *imprecise) most(c *simulate.Cluster, h *held) (float64, bool) {
	w := &s.plan
	s.speed, w.now, w.processors = c.Speed(), c.Now(), c.Processors()
	if !h.job.Value.Dated || late(w.now+h.terms.Mandatory/s.speed, h.due, w.now) {
		return 0, false
	}
	w.extra = s.whole(h)
	return float64(h.job.Width) * s.alone(&w.extra[optional]), true
}

// gain returns by how much the budget of the site is estimated to grow with a
// job, or why the site cannot take it: for a mandatory length that would miss
// its deadline, or because nothing would be gained.
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
	case gain > slack*s.ceiling || gain > 0 && gain > slack*s.budget():
		return gain, simulate.NoReason
	}
	return gain, simulate.Return
}

// budget returns what the jobs on the books are estimated to pay.
func (s *imprecise) budget() float64 {
	s.refresh()
	for k := range s.plan.borders {
		s.plan.borders[k] = border{others: s.open[k], all: true}
	}
	budget, _ := s.estimate(nil, math.Inf(1))
	return budget
}

// fits reports whether all lengths on the books and those of a further job can
// start at once, so that no job is in the way of another.
func (s *imprecise) fits(h *held) bool {
	if s.scheme == MandatoryTime {
		return s.undone+h.undone <= s.plan.processors
	}
	return s.open[mandatory]+s.open[optional]+h.open[mandatory]+h.open[optional] <= s.plan.processors
}

// late reports whether a time is past a deadline by more than rounding.
func late(at, due, now float64) bool { return at-due > 1e-12*(due-now)+1e-13*now }

// alone returns what a part pays that has not begun and has nothing in its way.
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

	time   float64  // at which processors are free,
	count  int      // so many
	ends   []ending // the ends after that, and those of the blocks
	block  int      // from this one on,
	slots  calendar // and those that are planned
	latest float64  // no processor is needed after this time
	number int      // of the plan
	pieces []piece
	budget float64
}

// piece is mandatory lengths that are planned to end at a time.
type piece struct {
	ready float64
	count int
}

// border divides an order of lengths: those before it start at once, whatever
// comes after.
type border struct {
	place        // of the first part after the border, if any is
	all     bool // all are after it
	at      spot // in the list: the first group after the border that is on the books
	others  int  // lengths after the border of jobs on the books
	further int  // and of a further job
}

// divide finds the borders of a plan with a further job. The first mandatory
// lengths, as many as there are processors, start at once; if these are all, then
// as many optional lengths do as there are processors left. They have
// processors that no other has before, even if their own mandatory lengths are
// not done.
//
// At an instant at which something has happened that Schedule has not seen,
// what runs is not what is planned, and all lengths are after the borders. So are
// those that share.
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

// makeBorder returns the border with so many lengths after it, of those that
// there are.
func makeBorder(list *ordered[group], kind int, extra *group, after int) border {
	b := border{at: list.end()}
	for seen := extra.left[kind] == 0; after > 0; {
		var g *group
		at, ok := list.before(b.at)
		if ok {
			g = list.at(at)
		}
		sum := &b.others
		switch {
		case !seen && (!ok || extra.compare(&g.place) > 0):
			g, seen, sum = extra, true, &b.further
		default:
			b.at = at
		}
		n := min(after, g.open(kind))
		after -= n
		*sum += n
		b.place = g.place
		b.first += g.count - int32(n)
	}
	return b
}

// before returns how many of the parts at a place are before the border.
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

// estimate returns the budget that the jobs on the books and a further one,
// unless that is nil, would bring if no other came, and whether every mandatory
// length would end by its deadline. The budget is that of optional lengths after
// the border, and of the further job.
//
// Mandatory lengths, by deadline, go each to the processor that is free first;
// then the optional lengths do, in the order of the scheme, each until it is
// done or its deadline comes, from the end of its own mandatory length on.
func (s *imprecise) estimate(extra *[2]group, latest float64) (budget float64, ok bool) {
	w := &s.plan
	w.number++
	w.time, w.count, w.latest, w.pieces, w.budget = w.now, w.processors, latest, w.pieces[:0], 0
	if w.ends, w.block = nil, 0; w.borders[mandatory].all {
		w.block = len(s.books.ends.blocks)
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

// visitor plans lengths of a group, all but so many that are before the border,
// and reports whether to go on.
type visitor func(s *imprecise, g *group, skip int) bool

// each calls visit for the groups after a border while it returns true, and
// reports whether it always did.
func (s *imprecise) each(kind int, extra *[2]group, visit visitor) bool {
	list, b := s.list(kind), &s.plan.borders[kind]
	if extra == nil || b.further == 0 {
		return s.walk(list, b, b.at, list.end(), visit)
	}
	g := &extra[kind]
	place := list.seek(*g)
	return s.walk(list, b, b.at, place, visit) && visit(s, g, int(g.count)-b.further) &&
		s.walk(list, b, place, list.end(), visit)
}

// walk calls visit for the groups from a place up to another.
func (s *imprecise) walk(list *ordered[group], b *border, from, to spot, visit visitor) bool {
	for ; from.block <= to.block && from.block < len(list.blocks); from = (spot{from.block + 1, 0}) {
		groups := list.blocks[from.block]
		if from.block == to.block {
			groups = groups[:to.at]
		}
		for i := from.at; i < len(groups); i++ {
			g, skip := &groups[i], 0
			if g.held == b.held {
				skip = b.before(&g.place)
			}
			if !visit(s, g, skip) {
				return false
			}
		}
	}
	return true
}

// nextSlot finds the processors that are free next, unless some are.
func (s *imprecise) nextSlot() {
	w := &s.plan
	for w.count == 0 {
		if len(w.ends) == 0 && w.block < len(s.books.ends.blocks) {
			w.ends = s.books.ends.blocks[w.block]
			w.block++
		}
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

// occupy gives processors that are free something to do, as far as there are so
// many, and returns how many that is.
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

// planOptional plans optional lengths and adds what they pay.
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
	queue  []sharer // by deadline; those before first have left
	first  int
	coming calendar // those whose mandatory length is not done, by the time it will be
	goals  calendar // those that have their share, by goal
	at     float64  // time
	given  float64  // optional length that a part would have if it had been there all along
	active int      // parts that have their share
	budget float64  // of the parts that have left
	free   int      // processors that no mandatory length occupies
}

// sharer is parts of a group that share.
type sharer struct {
	*group
	count        int32
	joined, gone bool
	goal         float64 // optional length given to all at which they are done; before they come, what is left of theirs
	until        float64 // deadline
	slack        float64 // optional length that is taken for none
}

// share returns the estimated budget of MandatoryTime once the mandatory lengths
// are planned: n optional lengths at a time share the q processors that no
// mandatory length occupies, each at a rate of min(1, q/n). That changes when a
// mandatory length ends, or an optional one, or a deadline comes.
//
// All parts advance at one rate, so that a part is done when what each is given
// reaches what had been given when it came, plus its own length.
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

// enter lets the parts of a group queue up.
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

// join gives parts their share. A goal that they cannot reach by the deadline,
// even with a processor each, is not noted.
func (w *sharing) join(i int) {
	p := &w.queue[i]
	p.joined = true
	w.active += int(p.count)
	within := p.goal <= p.until-w.at+2*p.slack
	if p.goal += w.given; within {
		w.goals.push(p.goal, i)
	}
}

// leave books what parts pay that have the given length left.
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

// step goes on to the next change, and lets the parts come and go whose time it
// is.
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
		if !p.joined { // its mandatory length ends with the deadline, but for rounding
			w.active += int(p.count)
			p.goal += w.given
		}
		s.leave(p, p.goal-w.given)
	}
}

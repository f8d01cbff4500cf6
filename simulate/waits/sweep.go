package waits

import (
	"cmp"
	"math"
	"slices"

	"revopt/internal/ordered"
)

// sweep goes through a log from event to event. Between two events no state of a job changes.
type sweep struct {
	log    *Log
	to     *Decomposition
	known  float64
	order  []int // places of jobs by age
	pools  []pool
	kinds  []*kind   // of each job
	held   []*held   // of each limit
	before []Seconds // totals of its kind when a job began to wait

	// opened is called for a kind whose jobs could start; the oldest n are behind no reservation. nil: nobody asks.
	opened func(k *kind, n int, seconds float64)
	// passed is called for each pool and span between two events, started before a job starts; nil: nobody asks.
	passed  func(pool int, seconds float64)
	started func(pool int, at float64)
}

// pool is the state of a pool.
type pool struct {
	units, used, down int
	outages           []int          // that are on, of the log
	waiting           []*kind        // of which a job waits
	blocked           map[string]int // by queue: age of the oldest job that the machine is emptied for
}

// held is what the owner of a limit holds.
type held struct {
	limit       Limit
	units, jobs int
	probe       bool // does not bind, see FindLimits
}

// full reports whether the owner may not have a job of a width more.
func (h *held) full(width int) bool {
	if h.limit.Jobs > 0 && h.jobs >= h.limit.Jobs {
		return true
	}
	return h.limit.Units > 0 && h.units+width > h.limit.Units && (h.jobs > 0 || h.limit.Never)
}

// with returns what the owner would hold with a job of a width more, in what is limited.
func (h *held) with(width int) int {
	if h.limit.Units > 0 {
		return h.units + width
	}
	return h.jobs + 1
}

// kind is jobs that differ in age alone: they are in the same state, unless they are behind a reservation.
type kind struct {
	kindKey
	limits  []int             // of the log
	waiting ordered.List[int] // ages
	at      place
	total   Seconds // of a job that waits all the time
}

// kindKey says which jobs are of a kind. Owners without a limit are left out.
type kindKey struct {
	pool, width               int
	queue                     string
	account, user, group, qos string
}

// place is what a job waits for at some time; index is that of the limit.
type place struct {
	part  Part
	index int
}

// event is a change of the state.
type event struct {
	at   float64
	what int
	of   int // age of a job, or place of an outage
}

const (
	enters = iota
	leaves
	starts
	ends
	breaks
	mends
)

func newSweep(l *Log, limits []Limit, to *Decomposition) *sweep {
	s := &sweep{log: l, to: to, known: l.KnownFrom(), order: l.byAge(), before: make([]Seconds, len(l.Jobs))}
	for _, p := range l.Pools {
		s.pools = append(s.pools, pool{units: p.Units, blocked: map[string]int{}})
	}
	for _, limit := range limits {
		s.held = append(s.held, &held{limit: limit})
	}
	s.sort(limits)
	return s
}

// sort gives each job its kind.
func (s *sweep) sort(limits []Limit) {
	type owner struct{ of, name string }
	limited := map[owner][]int{}
	for i, limit := range limits {
		o := owner{limit.Of, limit.Name}
		limited[o] = append(limited[o], i)
	}
	all := map[kindKey]*kind{}
	s.kinds = make([]*kind, len(s.log.Jobs))
	unit := s.log.Unit()
	for i := range s.log.Jobs {
		j := &s.log.Jobs[i]
		key := kindKey{pool: j.Pool, width: j.Width, queue: j.Queue}
		var own []int
		for _, field := range []struct {
			of string
			to *string
		}{{"account", &key.account}, {"user", &key.user}, {"group", &key.group}, {"qos", &key.qos}} {
			name := j.owner(field.of)
			list := limited[owner{field.of, name}]
			if len(list) > 0 && s.log.Pools[j.Pool].Unit == unit {
				own, *field.to = append(own, list...), name
			}
		}
		if all[key] == nil {
			slices.Sort(own)
			all[key] = &kind{kindKey: key, limits: own,
				waiting: ordered.List[int]{Compare: func(a, b *int) int { return cmp.Compare(*a, *b) }}}
		}
		s.kinds[i] = all[key]
	}
}

// events returns all changes by time.
func (s *sweep) events() []event {
	var list []event
	for age, i := range s.order {
		j := &s.log.Jobs[i]
		if from, to := max(s.log.eligible(i), s.known), j.leaves(); from < to {
			list = append(list, event{from, enters, age}, event{to, leaves, age})
		}
		if j.runs() {
			list = append(list, event{j.Start, starts, age}, event{j.End, ends, age})
		}
	}
	for i, o := range s.log.Outages {
		list = append(list, event{o.From, breaks, i}, event{o.To, mends, i})
	}
	slices.SortStableFunc(list, func(a, b event) int { return cmp.Compare(a.at, b.at) })
	return list
}

// run goes through the log.
func (s *sweep) run() {
	last := math.Inf(-1)
	for _, e := range s.events() {
		if e.at > last {
			s.pass(max(last, s.known), e.at)
			last = e.at
		}
		switch e.what {
		case enters:
			s.enter(e.of)
		case leaves:
			s.leave(e.of)
		case starts:
			if s.started != nil {
				s.started(s.log.Jobs[s.order[e.of]].Pool, e.at)
			}
			s.hold(e.of, 1)
		case ends:
			s.hold(e.of, -1)
		case breaks, mends:
			s.turn(e.of, e.what == breaks)
		}
	}
}

func (s *sweep) enter(age int) {
	i := s.order[age]
	k := s.kinds[i]
	s.before[i] = k.total
	k.waiting.Insert(age)
	if p := &s.pools[k.pool]; len(k.waiting.Items) == 1 {
		p.waiting = append(p.waiting, k)
	}
}

func (s *sweep) leave(age int) {
	i := s.order[age]
	k := s.kinds[i]
	k.waiting.Remove(age)
	for part := range k.total {
		s.to.Jobs[i][part] += k.total[part] - s.before[i][part]
	}
	if p := &s.pools[k.pool]; len(k.waiting.Items) == 0 {
		p.waiting = slices.DeleteFunc(p.waiting, func(other *kind) bool { return other == k })
	}
}

// hold gives a job its units (1), or takes them (-1).
func (s *sweep) hold(age, sign int) {
	k := s.kinds[s.order[age]]
	s.pools[k.pool].used += sign * k.width
	for _, i := range k.limits {
		s.held[i].units += sign * k.width
		s.held[i].jobs += sign
	}
}

// turn begins an outage, or ends it.
func (s *sweep) turn(i int, on bool) {
	o := s.log.Outages[i]
	p := &s.pools[o.Pool]
	units := cmp.Or(o.Units, p.units)
	if on {
		p.down += units
		p.outages = append(p.outages, i)
		return
	}
	p.down -= units
	p.outages = slices.DeleteFunc(p.outages, func(other int) bool { return other == i })
}

// pass adds the time from one event to the next.
func (s *sweep) pass(from, to float64) {
	if to <= from {
		return
	}
	for i := range s.pools {
		p := &s.pools[i]
		if p.used > p.units {
			s.to.Overfull += to - from
		}
		if s.passed != nil {
			s.passed(i, to-from)
		}
		s.place(p)
		for _, k := range p.waiting {
			s.add(p, k, from, to)
		}
	}
}

// place finds what the jobs of each kind wait for, and the oldest job of each queue that the machine is emptied for.
func (s *sweep) place(p *pool) {
	clear(p.blocked)
	free := max(p.units-p.used, 0)
	up := max(free-p.down, 0)
	for _, k := range p.waiting {
		limit := slices.IndexFunc(k.limits, func(i int) bool { return !s.held[i].probe && s.held[i].full(k.width) })
		switch {
		case p.down >= p.units:
			k.at = place{part: Down}
		case k.width > free:
			k.at = place{part: Full}
		case k.width > up:
			k.at = place{part: Down}
		case limit >= 0:
			k.at = place{AtLimit, k.limits[limit]}
		default:
			k.at = place{part: Unexplained}
		}
		if oldest, ok := p.blocked[k.queue]; limit < 0 && k.width > up && (!ok || k.waiting.Items[0] < oldest) {
			p.blocked[k.queue] = k.waiting.Items[0]
		}
	}
}

// add adds some time to the jobs of a kind.
func (s *sweep) add(p *pool, k *kind, from, to float64) {
	n, seconds := len(k.waiting.Items), to-from
	switch k.at.part {
	case Down:
		for _, i := range p.outages {
			s.to.InOutage[i] += float64(n) * seconds / float64(len(p.outages))
		}
	case AtLimit:
		s.to.AtLimit[k.at.index] += float64(n) * seconds
	case Unexplained:
		s.open(p, k, from, to)
		return
	}
	k.total[k.at.part] += seconds
	s.to.spread(k.at.part, n, from, to)
}

// open adds some time to the jobs of a kind that could start: those behind a reservation wait for it.
func (s *sweep) open(p *pool, k *kind, from, to float64) {
	ages := k.waiting.Items
	n := len(ages)
	if blocked, ok := p.blocked[k.queue]; ok {
		n, _ = slices.BinarySearch(ages, blocked)
	}
	for place, age := range ages {
		part := Unexplained
		if place >= n {
			part = Reserved
		}
		s.to.Jobs[s.order[age]][part] += to - from
	}
	s.to.spread(Unexplained, n, from, to)
	s.to.spread(Reserved, len(ages)-n, from, to)
	if s.opened != nil {
		s.opened(k, n, to-from)
	}
}

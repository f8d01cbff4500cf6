package slurm

import (
	"cmp"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/ordered"
	"revopt/simulate/policy"
)

// rules are the settings in the form in which they are used.
type rules struct {
	policy.Terms
	basic                               bool // order of submission
	age, fair, size, partition, quality float64
	assoc                               float64 // weight of a priority of an account or user
	maxAge, period                      float64 // s
	decay                               float64 // of usage in a second
	small, relative, classic            bool
	varies                              bool // priorities change with time

	interval, window, resolution, schedInterval float64 // s
	widen                                       float64 // s, from batch to batch; 0: the time doubles
	depth, tests, userTests, reserves           int     // 0: no limit; of reserves 0: all jobs
	deferred                                    bool
	minPriority                                 int64 // of jobs with reservations
	thresholds                                  bool  // some QOS has such a priority, or all have

	qos        map[string]*qos
	preempting bool
}

// qos is a quality of service.
type qos struct {
	name     string
	priority float64
	factor   float64 // of its usage
	preempts []*qos
	mode     string  // off, cancel, requeue or suspend, for its jobs that are preempted
	grace    float64 // s
	level    int     // jobs of higher levels come first: they can preempt
	least    int64   // priority of jobs with reservations
}

func newRules(s policy.Settings) *rules {
	flags := split(s["PriorityFlags"])
	r := &rules{
		Terms: s.Terms(), basic: s["PriorityType"] == "basic", decay: 1,
		age: s.Number("PriorityWeightAge"), fair: s.Number("PriorityWeightFairshare"),
		size: s.Number("PriorityWeightJobSize"), partition: s.Number("PriorityWeightPartition"),
		quality: s.Number("PriorityWeightQOS"), maxAge: max(secondsOf(s, "PriorityMaxAge", 60), 1),
		period: 60 * s.Number("PriorityCalcPeriod"), small: s["PriorityFavorSmall"] == "yes",
		relative: slices.Contains(flags, "SMALL_RELATIVE_TO_TIME"), classic: slices.Contains(flags, "NO_FAIR_TREE"),
		interval: s.Number("bf_interval"), window: 60 * s.Number("bf_window"), resolution: s.Number("bf_resolution"),
		schedInterval: s.Number("sched_interval"), depth: int(s.Number("default_queue_depth")),
		tests: int(s.Number("bf_max_job_test")), userTests: int(s.Number("bf_max_job_user")),
		reserves: int(s.Number("bf_job_part_count_reserve")), deferred: s.Is("defer"),
		widen: s.Number("bf_window_linear"), minPriority: int64(s.Number("bf_min_prio_reserve")),
	}
	if r.basic {
		r.age = 0
		r.fair = 0
		r.size = 0
		r.partition = 0
		r.quality = 0
	}
	r.assoc = associationWeight(s, Raw(s["PriorityFlags"], "ASSOC"))
	if half := secondsOf(s, "PriorityDecayHalfLife", 60); half > 0 {
		r.decay = max(1-0.693/half, 0) // Slurm approximates ln 2
	}
	if r.period == 0 {
		r.period = 300
	}
	if r.window == 0 {
		r.window = math.Inf(1)
	}
	r.varies = r.age > 0 || r.fair > 0
	r.readQOS(s)
	return r
}

// named calls a function for each name of a kind, such as qos, with the beginning of the
// names of its settings.
func named(s policy.Settings, kind string, f func(prefix, name string)) {
	last := ""
	for _, key := range slices.Sorted(maps.Keys(s)) {
		prefix := key[:strings.LastIndex(key, ".")+1]
		if name, ok := strings.CutPrefix(prefix, kind+"."); ok && name != "" && prefix != last {
			f(prefix, strings.TrimSuffix(name, "."))
			last = prefix
		}
	}
}

// amount returns a setting that is a number, 0 if it is not given.
func amountOf(s policy.Settings, name string) float64 {
	x, _ := strconv.ParseFloat(s[name], 64)
	return x
}

// associationWeight returns what one step of the priority of an account or user adds to the priority of a job: the
// weight, over the largest such priority unless they are raw.
func associationWeight(s policy.Settings, raw bool) float64 {
	weight, largest := s.Number("PriorityWeightAssoc"), 0.0
	for _, kind := range []string{"account", "user"} {
		named(s, kind, func(prefix, _ string) { largest = max(largest, amountOf(s, prefix+"Priority")) })
	}
	switch {
	case s["PriorityType"] == "basic" || largest == 0:
		return 0
	case raw:
		return weight
	}
	return weight / largest
}

// readQOS reads the qualities of service. Normal is the one of jobs without any other.
func (r *rules) readQOS(s policy.Settings) {
	r.qos = map[string]*qos{"normal": {name: "normal", factor: 1, mode: s["PreemptMode"], least: r.minPriority}}
	highest := 1.0
	named(s, "qos", func(prefix, name string) {
		q := &qos{
			name: name, priority: amountOf(s, prefix+"Priority"), factor: 1, mode: s["PreemptMode"],
			grace: secondsOf(s, prefix+"GraceTime", 1), least: int64(amountOf(s, prefix+"MinPrioThreshold")),
		}
		if q.least == 0 {
			q.least = r.minPriority
		}
		if s[prefix+"UsageFactor"] != "" {
			q.factor = amountOf(s, prefix+"UsageFactor")
		}
		if mode := s[prefix+"PreemptMode"]; mode != "" && mode != "cluster" {
			q.mode = mode
		}
		r.qos[name], highest = q, max(highest, q.priority)
	})
	if Raw(s["PriorityFlags"], "QOS") {
		highest = 1
	}
	for name, q := range r.qos {
		q.priority /= highest
		r.thresholds = r.thresholds || q.least > 0 && !r.basic
		for _, other := range split(s["qos."+name+".Preempt"]) {
			if o := r.qos[other]; o != nil && o != q && s["PreemptType"] != "none" {
				q.preempts = append(q.preempts, o)
				r.preempting = r.preempting || o.mode != "off"
			}
		}
	}
	for rising := true; rising; { // a chain has fewer links than there are QOS, a circle has no end
		rising = false
		for _, q := range r.qos {
			for _, o := range q.preempts {
				if q.level <= o.level && q.level < len(r.qos) {
					q.level, rising = o.level+1, true
				}
			}
		}
	}
}

// groupKey tells groups apart.
type groupKey struct {
	user    *shareNode // nil without fair share
	base    float64    // the part of the priority that does not change
	level   int
	resumes bool // suspended jobs, which are the first of their level
	late    bool // overdue jobs, which are the first of all
}

// group is waiting jobs whose priorities differ by their ages alone. The job that
// waits longest is the first of them at any time, whatever the weights.
type group struct {
	groupKey
	jobs  ordered.List[*ticket]
	place int // in Slurmctld.active
}

// cursor is a job in the course of a pass.
type cursor struct {
	ticket   *ticket
	priority int64
	place    int // in its group
}

// before orders jobs: by level, priority, time and number of submission.
func (a *cursor) before(b *cursor) bool {
	if x, y := a.ticket.group.level, b.ticket.group.level; x != y {
		return x > y
	}
	if a.priority != b.priority {
		return a.priority > b.priority
	}
	return compareTickets(&a.ticket, &b.ticket) < 0
}

func compareTickets(a, b **ticket) int {
	switch x, y := *a, *b; {
	case x.since < y.since:
		return -1
	case x.since > y.since:
		return 1
	default:
		return cmp.Compare(x.job.ID, y.job.ID)
	}
}

func (p *Slurmctld) queue(t *ticket) {
	key := groupKey{base: p.base(t), level: t.party.qos.level, resumes: t.resumes}
	switch {
	case t.late:
		key = groupKey{late: true, level: math.MaxInt}
	case p.fair > 0:
		key.user = t.party.share
	}
	g := p.groups[key]
	if g == nil {
		g = &group{groupKey: key, place: len(p.active)}
		g.jobs.Compare = compareTickets
		p.groups[key] = g
		p.active = append(p.active, g)
	}
	t.group = g
	g.jobs.Insert(t)
	p.waiting++
	p.widths.add(t.width, 1)
}

func (p *Slurmctld) dequeue(t *ticket) {
	g := t.group
	g.jobs.Remove(t)
	p.waiting--
	p.widths.add(t.width, -1)
	t.group = nil
	if len(g.jobs.Items) == 0 {
		last := len(p.active) - 1
		p.active[g.place] = p.active[last]
		p.active[g.place].place = g.place
		p.active = p.active[:last]
		delete(p.groups, g.groupKey)
	}
}

// begin starts a pass over the queue in order, and next returns its next job, nil at the
// end. The queue does not change meanwhile.
func (p *Slurmctld) begin() {
	if len(p.active) > 1 || p.thresholds {
		p.judge()
	}
	p.order.List = p.order.List[:0]
	for _, g := range p.active {
		t := *g.jobs.First()
		p.order.List = append(p.order.List, cursor{ticket: t, priority: p.priority(t)})
	}
	p.order.Init()
}

func (p *Slurmctld) next() *ticket {
	if p.order.Len() == 0 {
		return nil
	}
	first := p.order.First()
	t := first.ticket
	first.place++
	if first.place < len(t.group.jobs.Items) {
		first.ticket = t.group.jobs.Items[first.place]
		if len(p.order.List) > 1 {
			first.priority = p.priority(first.ticket)
			p.order.Sink()
		}
	} else {
		p.order.Pop()
	}
	return t
}

// priority returns the priority of a waiting job as of the last calculation. Slurm cuts it to 32 bits.
func (p *Slurmctld) priority(t *ticket) int64 {
	if t.group.resumes || t.group.late {
		return math.MaxInt64
	}
	sum := t.group.base + p.age*min(max(p.calculated-t.since, 0)/p.maxAge, 1)
	if t.group.user != nil {
		sum += p.fair * t.group.user.factor
	}
	return int64(min(max(sum, 1), math.MaxUint32)) // 0 is for jobs that are held
}

// base returns the part of the priority that does not change. The factor of size is the
// share of the machine, divided by the minutes of the estimate if it is relative to time.
func (p *Slurmctld) base(t *ticket) float64 {
	if p.basic {
		return 0
	}
	size := float64(t.width) / float64(cmp.Or(p.processors, p.cluster.Processors()))
	if p.relative {
		size /= max(1, math.Ceil(p.RunTime(t.job)/60))
	}
	if p.small {
		size = 1 - size
	}
	return p.size*size + p.partition*p.partitions[p.index] + p.quality*t.party.qos.priority +
		p.assoc*t.party.priority - t.party.nice
}

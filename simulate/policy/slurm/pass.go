package slurm

import (
	"cmp"
	"math"
	"slices"

	"revopt/simulate/policy"
)

// Backfill passes take place at the multiples of bf_interval, whatever happens, or after every
// event if it is 0. A pass that cannot start a job is left out. These are passes
//
//   - for which every waiting job is too wide,
//   - and those after a pass that changed nothing, if nothing has happened since and no running
//     job has passed its expected end: they would make the same reservations, see
//     Slurmctld.quiet.
//
// A pass ends when none of the jobs to come can start beside the reservations so far.

// passNumber returns the number of the last pass up to a time, and passTime its time.
func (p *Slurmctld) passNumber(t float64) float64 {
	n := math.Floor(t / p.interval)
	if !policy.Before(t, p.passTime(n+1)) {
		n++
	}
	return n
}

func (p *Slurmctld) passTime(n float64) float64 { return n * p.interval }

// due reports whether a pass takes place in this decision.
func (p *Slurmctld) due(now float64) bool {
	if !(p.interval > 0) {
		return p.interval == 0
	}
	return !policy.Before(p.passTime(p.passNumber(now)), now)
}

// nextPass returns the time of the next pass that may start a job if nothing happens before, +Inf
// if there is none.
func (p *Slurmctld) nextPass(now float64) float64 {
	if !(p.interval > 0) || math.IsInf(p.quiet, 1) {
		return math.Inf(1)
	}
	n := p.passNumber(now) + 1
	if p.quiet > p.passTime(n) {
		n = p.passNumber(p.quiet)
		if policy.Before(p.passTime(n), p.quiet) {
			n++
		}
	}
	return p.passTime(n)
}

// disturb takes note that the next pass may have another result than the last one.
func (p *Slurmctld) disturb() { p.quiet = math.Inf(-1) }

// backfill is a backfill pass.
func (p *Slurmctld) backfill() {
	c, now := p.cluster, p.cluster.Now()
	p.pass++
	p.quiet = p.running.next()
	p.ahead.steps = append(p.ahead.steps[:0], p.running.steps...)
	p.batches, p.hopeless = p.batches[:0], p.hopeless[:0]
	line := p.line()
	rest := len(line) // no job from here on can start
	reserved, fresh := 0, true
	still, later := math.Inf(1), c.Ahead()
	for i := 0; i < rest; i++ {
		if fresh && !p.preempting {
			rest = p.hope(line[:rest], i)
			fresh = false
			if i == rest {
				break
			}
		}
		t := line[i]
		if t.held() || p.userTests > 0 && !t.party.user.test(p) {
			continue
		}
		if (t.width <= c.Free() || p.preempt(t, &p.ahead)) && p.ahead.room(t.width, t.estimate) {
			p.ahead.reserve(now, now+t.estimate, t.width)
			p.start(t)
			p.cut = p.cut || len(t.party.limits) > 0 // a limit may hold the first job now
			fresh = true
			continue
		}
		if p.reserves > 0 && reserved >= p.reserves || !p.reserving(t) || p.late(t) {
			continue
		}
		from := p.expected(t)
		if from-now > p.window {
			p.quiet = min(p.quiet, from-p.window)
			p.hopeless = slices.DeleteFunc(p.hopeless, func(h *ticket) bool {
				return t.width <= h.width && t.estimate <= h.estimate
			})
			p.hopeless = append(p.hopeless, t)
			continue
		}
		end := p.ahead.end(from, t.estimate)
		if policy.Before(now, from) {
			later = true
		} else { // the job waits for one that should have ended: in a later pass its end is another one
			still = min(still, math.Nextafter(end-t.estimate, math.Inf(1)))
		}
		p.ahead.reserve(from, end, t.width)
		reserved++
		fresh = true
	}
	if later { // otherwise the number of processors that are free now decides alone, as it only rises
		p.quiet = min(p.quiet, still)
	}
	p.clear()
}

// reserving reports whether the priority of a job is high enough for a reservation: at least the MinPrioThreshold of
// its QOS, else bf_min_prio_reserve. Priorities of priority/basic are above any useful threshold.
func (p *Slurmctld) reserving(t *ticket) bool {
	return !p.thresholds || p.priority(t) >= t.party.qos.least
}

// line returns the jobs that a pass looks at, in order.
func (p *Slurmctld) line() []*ticket {
	most := p.waiting
	if p.tests > 0 {
		most = min(most, p.tests)
	}
	if len(p.active) == 1 {
		if p.thresholds {
			p.judge()
		}
		return p.active[0].jobs.Items[:most]
	}
	p.begin()
	p.lined = p.lined[:0]
	for len(p.lined) < most {
		p.lined = append(p.lined, p.next())
	}
	return p.lined
}

// hope returns the place after the last job of the line that can start beside the reservations so
// far, at least from.
func (p *Slurmctld) hope(line []*ticket, from int) int {
	free := p.cluster.Free()
	for i := len(line); i > from; i-- {
		if t := line[i-1]; t.width <= free && p.ahead.room(t.width, t.estimate) && !t.held() {
			return i
		}
	}
	return from
}

// late reports whether no place within bf_window is left for a job, as there was none for a job that is not wider or
// longer.
func (p *Slurmctld) late(t *ticket) bool {
	for _, h := range p.hopeless {
		if h.width <= t.width && h.estimate <= t.estimate {
			return true
		}
	}
	return false
}

// expected returns the time of a reservation. Slurm looks at batches of running jobs that
// end at about the same time, so that a job waits for the last one of a batch. With a pass
// at every event, each end counts.
func (p *Slurmctld) expected(t *ticket) float64 {
	now := p.cluster.Now()
	from := p.ahead.earliest(now, t.width, t.estimate)
	if p.interval == 0 || !policy.Before(now, from) || from-now > p.window {
		return from
	}
	if len(p.batches) == 0 {
		p.batch()
	}
	for _, last := range p.batches {
		if policy.Before(last, from) {
			continue
		}
		if policy.Before(from, last) {
			from = p.ahead.earliest(last, t.width, t.estimate)
		}
		if !policy.Before(last, from) {
			break
		}
	}
	return from
}

// batch finds the last expected end of each batch of running jobs. The first batch has the
// jobs that end within 30 s of the next half minute after the first end; from batch to batch
// the time doubles, or grows by bf_window_linear. If a job of another pool ends within the time, the next job of this
// pool belongs to the batch, whenever it ends. So does _will_run_test of Slurm 22.05.
func (p *Slurmctld) batch() {
	ends := p.ends[:0]
	for _, site := range p.sites {
		for _, t := range site.live {
			ends = append(ends, expectedEnd{t.end, site == p})
		}
	}
	slices.SortFunc(ends, func(a, b expectedEnd) int { return cmp.Compare(a.at, b.at) })
	const first = 30.0 // s
	window, edge := first, math.Inf(-1)
	p.ends = ends
	for i := 0; i < len(ends); {
		last := math.Inf(-1)
		for i < len(ends) {
			e := ends[i]
			i++
			if !e.own {
				continue
			}
			last = e.at
			if math.IsInf(edge, -1) {
				edge = math.Floor(e.at/first)*first + first
			}
			if i < len(ends) && ends[i].at > edge+window {
				break
			}
		}
		window = p.wider(window)
		if i < len(ends) && p.widen > 0 {
			window += p.widen * max(0, math.Ceil((ends[i].at-edge-window)/p.widen))
		}
		for i < len(ends) && ends[i].at > edge+window {
			window = p.wider(window)
		}
		p.batches = append(p.batches, last)
	}
}

// wider returns the time of the batch after one of a given time, s.
func (p *Slurmctld) wider(window float64) float64 {
	if p.widen > 0 {
		return window + p.widen
	}
	return 2 * window
}

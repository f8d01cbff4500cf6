package policy_test

import (
	"math"
	"sort"

	"revopt/simulate/policy/policytest"
)

// naive is EASY and conservative backfilling written a second time, with no
// thought for speed and nothing in common with the policies: lists are sorted
// anew and expectations worked out from scratch at every decision.
type naive struct {
	processors  int
	key         func(s policytest.Submission) float64              // nil: by arrival
	order       func(s policytest.Submission, now float64) float64 // in place of key
	inOrder     bool                                               // none starts before the head
	lapse       bool
	latest      bool // jobs lapse as soon as they can no longer be in time
	exact, kill bool

	// Some simulators do this instead.
	noExtra bool // a job may not run beside the head's reservation
	frozen  bool // the expected end of a job past its estimate stays in the past
	patient bool // it is expected a whole estimate later, again and again

	jobs     []policytest.Submission
	runtime  []float64
	estimate []float64
	queue    []int // by arrival
	running  []int
	out      policytest.Fates
	shadow   []float64 // of a head when it became one
	plan     map[int]float64
	promised []float64 // the first reservation
	early    bool
	wake     float64 // a decision is taken then too
}

// run simulates; decide is one of the methods below.
func (n *naive) run(jobs []policytest.Submission, decide func(now float64)) policytest.Fates {
	n.jobs, n.plan, n.wake = jobs, make(map[int]float64), math.Inf(1)
	n.out = make(policytest.Fates, len(jobs))
	n.shadow, n.promised = make([]float64, len(jobs)), make([]float64, len(jobs))
	for i, s := range jobs {
		e := s.Estimate
		if n.exact || e <= 0 {
			e = s.Runtime
		}
		n.estimate = append(n.estimate, e)
		n.runtime = append(n.runtime, s.Runtime)
		n.shadow[i], n.promised[i] = math.NaN(), math.NaN()
	}
	for next := 0; next < len(jobs) || len(n.running)+len(n.queue) > 0; {
		now := n.wake
		if next < len(jobs) {
			now = math.Min(now, jobs[next].At)
		}
		for _, i := range n.running {
			now = math.Min(now, n.out[i].Finish)
		}
		for _, i := range n.queue {
			now = math.Min(now, math.Min(n.due(i), n.patience(i)))
		}
		n.complete(now)
		for ; next < len(jobs) && jobs[next].At == now; next++ {
			n.arrive(next)
		}
		n.remove(now, !n.latest)
		decide(now)
		if waited := len(n.queue); n.latest {
			if n.remove(now, true); len(n.queue) < waited {
				decide(now)
			}
		}
	}
	return n.out
}

func (n *naive) due(i int) float64 {
	if d := n.jobs[i].Deadline; n.lapse && d > 0 {
		if n.latest {
			return n.jobs[i].At + d - n.estimate[i]
		}
		return n.jobs[i].At + d
	}
	return math.Inf(1)
}

// patience is the time at which a job gives up.
func (n *naive) patience(i int) float64 {
	if e := n.jobs[i].Expire; e > 0 {
		return e
	}
	return math.Inf(1)
}

func (n *naive) complete(now float64) {
	var still []int
	for _, i := range n.running {
		if n.out[i].Finish > now {
			still = append(still, i)
		} else if n.out[i].Start+n.estimate[i] > now {
			n.early = true
		}
	}
	n.running = still
}

func (n *naive) arrive(i int) {
	if n.jobs[i].Width > n.processors {
		n.out[i] = policytest.Fate{Start: math.NaN(), Finish: math.NaN(), Reason: resources}
		return
	}
	if n.kill && n.runtime[i] > n.estimate[i] {
		n.runtime[i], n.out[i].Killed = n.estimate[i], true
	}
	n.queue = append(n.queue, i)
}

// remove takes jobs out of the queue that give up, or lapse. The plan for those
// that stay may be better without them.
func (n *naive) remove(now float64, lapse bool) {
	var still []int
	for _, i := range n.queue {
		if n.patience(i) <= now {
			n.out[i] = policytest.Fate{Start: math.NaN(), Finish: now, Expired: true}
			delete(n.plan, i)
			n.early = true
		} else if lapse && n.due(i) <= now || n.due(i) < now {
			n.out[i] = policytest.Fate{Start: math.NaN(), Finish: math.NaN(), Reason: lapsed}
		} else {
			still = append(still, i)
		}
	}
	n.queue = still
}

func (n *naive) free() int {
	free := n.processors
	for _, i := range n.running {
		free -= n.jobs[i].Width
	}
	return free
}

func (n *naive) start(i int, now float64) {
	var still []int
	for _, k := range n.queue {
		if k != i {
			still = append(still, k)
		}
	}
	n.queue = still
	n.running = append(n.running, i)
	f := &n.out[i]
	f.Start, f.Finish = now, now+n.runtime[i]
	if d := n.jobs[i].Deadline; d > 0 && f.Finish <= n.jobs[i].At+d && !f.Killed {
		f.Revenue = n.estimate[i]
	}
}

// expected returns when a running job is expected to end.
func (n *naive) expected(i int, now float64) float64 {
	end := n.out[i].Start + n.estimate[i]
	if n.frozen {
		return end
	}
	for n.patient && end <= now && n.estimate[i] > 0 {
		end += n.estimate[i]
	}
	return math.Max(end, now)
}

// ordered returns the queue, best first.
func (n *naive) ordered(now float64) []int {
	q := append([]int(nil), n.queue...)
	if n.key != nil {
		sort.SliceStable(q, func(a, b int) bool { return n.key(n.jobs[q[a]]) < n.key(n.jobs[q[b]]) })
	}
	if n.order != nil {
		sort.SliceStable(q, func(a, b int) bool { return n.order(n.jobs[q[a]], now) < n.order(n.jobs[q[b]], now) })
	}
	return q
}

// easy is one decision of EASY backfilling.
func (n *naive) easy(now float64) {
	q := n.ordered(now)
	for len(q) > 0 && n.jobs[q[0]].Width <= n.free() {
		n.start(q[0], now)
		q = q[1:]
	}
	if len(q) == 0 || n.inOrder {
		return
	}
	ends := append([]int(nil), n.running...)
	sort.Slice(ends, func(a, b int) bool { return n.expected(ends[a], now) < n.expected(ends[b], now) })
	shadow, room := now, n.free()
	for _, i := range ends {
		if room >= n.jobs[q[0]].Width && n.expected(i, now) > shadow {
			break
		}
		shadow = n.expected(i, now)
		room += n.jobs[i].Width
	}
	if math.IsNaN(n.shadow[q[0]]) {
		n.shadow[q[0]] = shadow
	}
	extra := room - n.jobs[q[0]].Width
	for _, i := range q[1:] {
		w := n.jobs[i].Width
		switch {
		case w > n.free():
		case now+n.estimate[i] <= shadow:
			n.start(i, now)
		case w <= extra && !n.noExtra:
			extra -= w
			n.start(i, now)
		}
	}
}

// conservative is one decision of conservative backfilling.
func (n *naive) conservative(now float64) {
	late := false
	for _, i := range n.queue {
		if s, ok := n.plan[i]; ok && s < now {
			late = true
		}
	}
	if late {
		n.plan = make(map[int]float64)
	}
	for n.early {
		n.early = false
		for _, i := range n.queue {
			if s, ok := n.plan[i]; ok {
				delete(n.plan, i)
				n.plan[i] = math.Min(s, n.earliest(i, now, math.Inf(1)))
				n.early = n.early || n.plan[i] < s
			}
		}
	}
	for _, i := range n.queue {
		if _, ok := n.plan[i]; !ok {
			n.plan[i] = n.earliest(i, now, math.Inf(1))
		}
		if math.IsNaN(n.promised[i]) {
			n.promised[i] = n.plan[i]
		}
	}
	for _, i := range append([]int(nil), n.queue...) {
		if n.plan[i] <= now && n.jobs[i].Width <= n.free() {
			n.start(i, now)
			delete(n.plan, i)
		}
	}
}

// bounded returns the decision of conservative backfilling where only so many
// jobs, the first to have come, move to any place.
func (n *naive) bounded(depth int) func(now float64) {
	loose := false
	return func(now float64) {
		loose, n.early = loose || n.early, false
		var front, rest, due []int
		late := false
		for _, i := range n.queue {
			s, planned := n.plan[i]
			late = late || planned && s < now
			switch {
			case !planned:
			case len(front) < depth:
				front = append(front, i)
			default:
				if rest = append(rest, i); s <= now {
					due = append(due, i)
				}
			}
		}
		if late {
			loose = true
			old := n.plan
			n.plan = make(map[int]float64)
			for _, i := range append(append([]int(nil), front...), due...) {
				n.plan[i] = n.earliest(i, now, math.Inf(1))
				delete(old, i)
			}
			for i, s := range old {
				n.plan[i] = s
			}
		}
		for moved := loose && !late; moved; {
			for again := true; again; {
				again = false
				for _, i := range front {
					s := n.plan[i]
					delete(n.plan, i)
					n.plan[i] = math.Min(s, n.earliest(i, now, s))
					again = again || n.plan[i] < s
				}
			}
			moved = false
			for _, i := range rest {
				if n.plan[i] > now && n.earliest(i, now, math.Inf(1)) == now { // beside its own plan
					n.plan[i], moved = now, true
				}
			}
		}
		for _, i := range n.queue {
			if _, ok := n.plan[i]; !ok {
				n.plan[i] = n.earliest(i, now, math.Inf(1))
				if len(front) < depth && len(rest) == 0 {
					front = append(front, i)
				} else {
					rest = append(rest, i)
				}
			}
			if math.IsNaN(n.promised[i]) {
				n.promised[i] = n.plan[i]
			}
		}
		for _, i := range append(front, rest...) {
			if n.plan[i] <= now && n.jobs[i].Width <= n.free() {
				n.start(i, now)
				delete(n.plan, i)
			}
		}
		n.wake = math.Inf(1)
		longer := false
		for _, i := range rest {
			_, waits := n.plan[i]
			longer = longer || waits
		}
		for _, s := range n.plan {
			n.wake = math.Min(n.wake, s)
		}
		if !longer || n.wake <= now {
			n.wake = math.Inf(1)
		}
	}
}

// earliest returns the earliest start of job i among the running and the
// planned: now, or one of the times at which one of them ends. From the time on
// that is its own it needs no others.
func (n *naive) earliest(i int, now, own float64) float64 {
	type span struct {
		from, to float64
		width    int
	}
	var spans []span
	for _, k := range n.running {
		spans = append(spans, span{now, n.out[k].Start + n.estimate[k], n.jobs[k].Width})
	}
	for k, s := range n.plan {
		spans = append(spans, span{s, s + n.estimate[k], n.jobs[k].Width})
	}
	used := func(t float64) int {
		sum := 0
		for _, s := range spans {
			if s.from <= t && t < s.to {
				sum += s.width
			}
		}
		return sum
	}
	fits := func(t float64) bool {
		if used(t)+n.jobs[i].Width > n.processors {
			return false
		}
		for _, s := range spans {
			if s.from > t && s.from < math.Min(t+n.estimate[i], own) && used(s.from)+n.jobs[i].Width > n.processors {
				return false
			}
		}
		return true
	}
	best := math.Inf(1)
	if fits(now) {
		best = now
	}
	for _, s := range spans {
		if s.to > now && s.to < best && fits(s.to) {
			best = s.to
		}
	}
	return best
}

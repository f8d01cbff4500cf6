package policy

import (
	"slices"

	"revopt/simulate"
)

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
		// What the jobs on the books pay does not depend on when they end, and
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
		// Whoever has as much left and still finds the slot open does likewise.
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

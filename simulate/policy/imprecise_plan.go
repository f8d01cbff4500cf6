package policy

import (
	"math"
	"slices"

	"revopt/simulate"
)

// plan is the working memory of an estimate.
type plan struct {
	now   float64
	until []float64 // heap: times at which processors are free again
}

// gain returns by how much the budget of the site is estimated to grow with a
// job, or why the site cannot take it: for a mandatory length that would miss
// its deadline, or because nothing would be gained.
//
// Kim, Buyya and Kim (2007), sections 3.1 and 3.4.
func (s *imprecise) gain(c *simulate.Cluster, h *held) (float64, simulate.Reason) {
	s.speed = c.Nodes()[0].Speed
	now := c.Now()
	if h.job.Spec.Constraints.Deadline <= 0 || late(now+h.terms.Mandatory/s.speed, h.due, now) {
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
	w.until = w.until[:0]
	for range c.Processors() {
		w.until = append(w.until, w.now)
	}
	ok = with(s.urgent, extra, sooner, func(h *held) bool { return s.planMandatory(h) })
	if !ok {
		return 0, false
	}
	if s.scheme == MandatoryTime {
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
	for i := range h.parts {
		p := &h.parts[i]
		p.ready = w.now
		if p.mandatory == 0 {
			continue
		}
		length, _ := p.lengths()
		p.ready = w.until[0] + length/s.speed
		if late(p.ready, h.due, w.now) {
			return false
		}
		w.occupy(p.ready)
	}
	return true
}

// late reports whether a time is past a deadline by more than rounding.
func late(at, due, now float64) bool { return at-due > 1e-12*(due-now)+1e-13*now }

// planOptional plans the optional lengths of a job and returns what it pays.
func (s *imprecise) planOptional(h *held) float64 {
	w := &s.plan
	var sum float64
	for i := range h.parts {
		p := &h.parts[i]
		_, left := p.lengths()
		start := math.Max(w.until[0], p.ready)
		if left > 0 && start < h.due {
			end := math.Min(start+left/s.speed, h.due)
			left = math.Max(left-(end-start)*s.speed, 0)
			w.occupy(end)
		}
		sum += h.terms.Worth(h.terms.Optional - left)
	}
	return sum
}

// occupy gives the processor that is free first something to do until the given
// time.
func (w *plan) occupy(end float64) {
	i, n := 0, len(w.until)
	for {
		child := 2*i + 1
		if child >= n {
			break
		}
		if child+1 < n && w.until[child+1] < w.until[child] {
			child++
		}
		if end <= w.until[child] {
			break
		}
		w.until[i] = w.until[child]
		i = child
	}
	w.until[i] = end
}

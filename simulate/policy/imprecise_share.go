package policy

import (
	"math"
	"slices"
)

// share returns the estimated budget of MandatoryTime once the mandatory lengths
// are planned: n optional lengths at a time share the q processors that no
// mandatory length occupies, each at a rate of min(1, q/n). What is planned
// changes when a mandatory length ends, or an optional one, or a deadline comes.
func (s *imprecise) share(extra *held) float64 {
	w := &s.plan
	w.contended = w.contended[:0]
	with(s.urgent, extra, sooner, func(h *held) bool {
		for i := range h.parts {
			p := &h.parts[i]
			_, p.rest = p.lengths()
			w.contended = append(w.contended, p)
		}
		return true
	})
	slices.Sort(w.until)
	budget := 0.0
	for at := w.now; len(w.contended) > 0; {
		next, rate := s.pace(at)
		kept := w.contended[:0]
		for _, p := range w.contended {
			if p.ready <= at {
				p.rest = math.Max(p.rest-rate*(next-at), 0)
			}
			if p.rest <= slack*p.of.terms.Optional || p.of.due <= next {
				if p.rest <= slack*p.of.terms.Optional {
					p.rest = 0
				}
				budget += p.of.terms.Worth(p.of.terms.Optional - p.rest)
				continue
			}
			kept = append(kept, p)
		}
		w.contended, at = kept, next
	}
	return budget
}

// pace returns at which rate the optional lengths that are ready advance, and
// until when.
func (s *imprecise) pace(at float64) (next, rate float64) {
	w := &s.plan
	next = math.Inf(1)
	least, active := math.Inf(1), 0
	for _, p := range w.contended {
		next = math.Min(next, p.of.due)
		if p.ready > at {
			next = math.Min(next, p.ready)
			continue
		}
		active++
		least = math.Min(least, p.rest)
	}
	free, _ := slices.BinarySearchFunc(w.until, at, func(until, at float64) int {
		if until <= at {
			return -1
		}
		return 1
	})
	if free < len(w.until) {
		next = math.Min(next, w.until[free])
	}
	if active > 0 {
		rate = s.speed * math.Min(1, float64(free)/float64(active))
		next = math.Min(next, at+least/rate)
	}
	return math.Max(next, at), rate
}

package policy

import (
	"cmp"
	"math"
	"slices"
)

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

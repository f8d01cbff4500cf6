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
	goals  []*part // heap by goal: parts that have their share, and some that left
	at     float64 // time
	given  float64 // optional length that a part would have if it had been there all along
	active int     // parts that have their share
	budget float64 // of the parts that have left
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

// enter lets a part queue up.
func (w *sharing) enter(p *part) {
	_, p.goal = p.lengths()
	p.gone = p.goal <= slack*p.of.terms.Optional
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
	w.active++
	p.goal += w.given
	w.goals = append(w.goals, p)
	i := len(w.goals) - 1
	for i > 0 {
		up := (i - 1) / 2
		if w.goals[up].goal <= p.goal {
			break
		}
		w.goals[i] = w.goals[up]
		i = up
	}
	w.goals[i] = p
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
	w.active--
	w.budget += p.of.terms.Worth(p.of.terms.Optional - left)
}

// step goes on to the next change.
func (s *imprecise) step() {
	w, until := &s.sharing, s.plan.until
	for len(w.goals) > 0 && w.goals[0].gone {
		w.drop()
	}
	free, _ := slices.BinarySearchFunc(until, w.at, func(until, at float64) int {
		if until <= at {
			return -1
		}
		return 1
	})
	next := w.queue[w.first].of.due
	if free < len(until) {
		next = math.Min(next, until[free])
	}
	if w.early < len(w.coming) {
		next = math.Min(next, w.coming[w.early].ready)
	}
	var rate float64
	if w.active > 0 {
		rate = s.speed * math.Min(1, float64(free)/float64(w.active))
		next = math.Min(next, w.at+(w.goals[0].goal-w.given)/rate)
	}
	next = math.Max(next, w.at)
	w.given += rate * (next - w.at)
	w.at = next
	w.settle()
}

// settle lets the parts come and go whose time it is.
func (w *sharing) settle() {
	for len(w.goals) > 0 && (w.goals[0].gone || w.goals[0].goal-w.given <= slack*w.goals[0].of.terms.Optional) {
		if p := w.goals[0]; !p.gone {
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
				w.active++
				p.goal += w.given
			}
			w.leave(p, p.goal-w.given)
		}
		w.first++
	}
}

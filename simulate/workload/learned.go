package workload

import (
	"slices"

	"revopt/model"
	"revopt/simulate"
)

// Learned are the ranks of the customers of a log by the jobs that have ended so far. It is policy.Ranks.
type Learned struct {
	classes []model.Class
	ended   []firstJobs
	urgency []float64
	ranks   []int
}

// Learned returns the ranks of a run in which no job has ended; nil if the customers state them.
func (w *Replay) Learned() *Learned {
	if w.options.QoS != nil || len(w.classes) < 2 || !slices.ContainsFunc(w.classes, func(c model.Class) bool {
		return c.Length == nil || c.DecayOfPrice > 0
	}) {
		return nil
	}
	l := &Learned{classes: w.classes, ended: make([]firstJobs, len(w.classes)), urgency: make([]float64, len(w.classes))}
	for i := range l.classes {
		l.urgency[i] = urgencyOf(&l.classes[i], &l.ended[i])
	}
	l.ranks = model.Ranks(model.ByUrgency(l.urgency))
	return l
}

// Rank implements policy.Ranks.
func (l *Learned) Rank(class int) int { return l.ranks[class] }

// Ended implements policy.Ranks.
func (l *Learned) Ended(j *simulate.Job) bool {
	s := &l.ended[j.Class]
	s.ran++
	s.length += j.Work
	s.decay += j.Value.Decay
	before := l.urgency[j.Class]
	now := urgencyOf(&l.classes[j.Class], s)
	l.urgency[j.Class] = now
	for i, other := range l.urgency {
		if i != j.Class && (between(other, before, now) || between(other, now, before)) {
			l.ranks = model.Ranks(model.ByUrgency(l.urgency))
			return true
		}
	}
	return false
}

// between reports whether x is between two urgencies or next to one, so that its place may change.
func between(x, least, most float64) bool {
	const near = 1e-8
	return least*(1-near) <= x && x <= most*(1+near)
}

package causal

import (
	"fmt"
	"math"
	"slices"

	"revopt/simulate"
)

// history is an observer of all that happens to jobs.
type history struct {
	jobs  []fate // by ID
	times []float64
	end   float64
	tasks map[*simulate.Node][]int64 // the jobs that were last seen on a node
}

// fate is what happens to a job.
type fate struct {
	steps []step
	start float64 // the first one; NaN: it never started
	ended float64 // when it left or ended, or when the first of its tasks ended; +Inf: not yet
}

// step is a transition of a job.
type step struct {
	kind   simulate.Kind
	reason simulate.Reason
	at     float64
	site   int
	nodes  []int32 // on which it starts
}

func newHistory(jobs int) *history {
	return &history{jobs: make([]fate, 0, jobs), tasks: map[*simulate.Node][]int64{}}
}

// Observe implements simulate.Observer.
func (h *history) Observe(e simulate.Event) {
	h.end = e.Time
	if e.Kind == simulate.Rated {
		h.rated(e)
	}
	if e.Job == nil {
		return
	}
	if int(e.Job.ID) == len(h.jobs) {
		h.jobs = append(h.jobs, fate{start: math.NaN(), ended: math.Inf(1)})
	}
	f := &h.jobs[e.Job.ID]
	s := step{kind: e.Kind, reason: e.Reason, at: e.Time}
	if e.Site != nil {
		s.site = e.Site.Index()
	}
	switch e.Kind {
	case simulate.Started:
		f.start = e.Time
		s.nodes = slices.Clone(e.Job.Nodes)
	case simulate.Completed, simulate.Rejected, simulate.Expired:
		f.ended = min(f.ended, e.Time)
	}
	f.steps = append(f.steps, s)
	h.times = append(h.times, e.Time)
}

// rated notes the jobs of a node, and whose tasks have ended there: the run time of such a job is known.
func (h *history) rated(e simulate.Event) {
	var now []int64
	for i := range e.Node.Tasks {
		now = append(now, e.Node.Tasks[i].Job.ID)
	}
	for _, id := range h.tasks[e.Node] {
		if !slices.Contains(now, id) {
			h.jobs[id].ended = min(h.jobs[id].ended, e.Time)
		}
	}
	h.tasks[e.Node] = now
}

// differs returns the first job to which something else happened before a time, nil if there is none.
func (h *history) differs(other *history, before float64) *Finding {
	var first *Finding
	at := math.Inf(1)
	for id := range max(len(h.jobs), len(other.jobs)) {
		was, is := h.before(id, before), other.before(id, before)
		for i := range max(len(was), len(is)) {
			a, b := text(was, i), text(is, i)
			if a != b && !(i < len(was) && i < len(is) && was[i].equals(&is[i])) {
				when := min(timeOf(was, i), timeOf(is, i))
				if when < at {
					first, at = &Finding{Job: int64(id), Was: a, Is: b}, when
				}
				break
			}
		}
	}
	return first
}

// before returns what happened to a job before a time.
func (h *history) before(id int, before float64) []step {
	if id >= len(h.jobs) {
		return nil
	}
	steps := h.jobs[id].steps
	n := 0
	for n < len(steps) && steps[n].at < before-rounding(before) {
		n++
	}
	return steps[:n]
}

// rounding is the difference of times that sums of the same numbers in another order may have.
func rounding(at float64) float64 { return 1e-9 * (1 + at) }

func (s *step) equals(other *step) bool {
	return s.kind == other.kind && s.reason == other.reason && s.site == other.site &&
		math.Abs(s.at-other.at) <= rounding(s.at) && slices.Equal(s.nodes, other.nodes)
}

// text says what happened in a step, "" if there is none.
func text(steps []step, i int) string {
	if i >= len(steps) {
		return ""
	}
	s := &steps[i]
	words := s.kind.String()
	if s.kind == simulate.Rejected {
		words += " (" + s.reason.String() + ")"
	}
	words += fmt.Sprintf(" at %.9g s", s.at)
	if s.site > 0 {
		words += fmt.Sprintf(" on site %d", s.site)
	}
	if len(s.nodes) > 0 {
		words += fmt.Sprintf(" on nodes %v", s.nodes)
	}
	return words
}

func timeOf(steps []step, i int) float64 {
	if i >= len(steps) {
		return math.Inf(1)
	}
	return steps[i].at
}

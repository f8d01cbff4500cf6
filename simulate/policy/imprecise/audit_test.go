package imprecise

import (
	"fmt"
	"math"

	"revopt/simulate"
	"revopt/simulate/policy"
)

// impreciseAudit is an observer that checks a run of imprecise jobs by what its
// nodes did: no node runs two parts at once outside time sharing, and never two
// of which one is in its mandatory length; no part runs its optional length
// before the mandatory one is done, or anything after the deadline; and a job
// pays for every part the mandatory budget and the budget function at the length
// executed. Use one per run.
type impreciseAudit struct {
	Scheme scheme

	err   error
	nodes map[*simulate.Node]*watch
	jobs  map[int64]map[int]*[2]float64 // executed lengths of parts by ID and number
}

// watch is what a node is doing.
type watch struct {
	since float64
	tasks []simulate.Task
	ids   []int64
}

// Err returns the first thing that was wrong, nil if nothing was.
func (a *impreciseAudit) Err() error { return a.err }

func (a *impreciseAudit) fail(format string, args ...any) {
	if a.err == nil {
		a.err = fmt.Errorf("policy: audit of imprecise jobs: "+format, args...)
	}
}

// Observe implements simulate.Observer.
func (a *impreciseAudit) Observe(e simulate.Event) {
	if a.nodes == nil {
		a.nodes, a.jobs = make(map[*simulate.Node]*watch), make(map[int64]map[int]*[2]float64)
	}
	switch e.Kind {
	case simulate.Rated:
		a.rated(e)
	case simulate.Started:
		a.jobs[e.Job.ID] = make(map[int]*[2]float64)
	case simulate.Completed:
		for _, n := range e.Site.Nodes() {
			a.advance(n, e.Time)
		}
		a.completed(e)
		delete(a.jobs, e.Job.ID)
	}
}

// advance adds the work done on a node since it was looked at.
func (a *impreciseAudit) advance(n *simulate.Node, now float64) *watch {
	w := a.nodes[n]
	if w == nil {
		w = &watch{}
		a.nodes[n] = w
	}
	for i, t := range w.tasks {
		done := t.Rate * (now - w.since) * n.Speed
		if parts := a.jobs[w.ids[i]]; parts != nil {
			lengths := parts[int(t.Note[0])]
			if lengths == nil {
				lengths = new([2]float64)
				parts[int(t.Note[0])] = lengths
			}
			lengths[int(t.Note[1])] += done
		}
		if done > 0 && late(now, t.Due, w.since) {
			a.fail("node %d works until %g for job %d, due %g", n.ID, now, w.ids[i], t.Due)
		}
	}
	w.since = now
	return w
}

// rated checks what a node is about to do.
func (a *impreciseAudit) rated(e simulate.Event) {
	w := a.advance(e.Node, e.Time)
	w.tasks = append(w.tasks[:0], e.Node.Tasks...)
	w.ids = w.ids[:0]
	for _, t := range w.tasks {
		w.ids = append(w.ids, t.Job.ID)
	}
	for _, t := range w.tasks {
		optional := t.Note[1] == 1
		if len(w.tasks) > 1 && (a.Scheme != mandatoryTime || !optional) {
			a.fail("node %d runs %d parts at %g", e.Node.ID, len(w.tasks), e.Time)
		}
		if optional && !a.mayRefine(e, t.Job, int(t.Note[0])) {
			a.fail("a part of job %d runs its optional length at %g, before the mandatory one is done", t.Job.ID, e.Time)
		}
	}
}

// mayRefine reports whether the mandatory length of a part is done. Where it
// seems not, the part may have come from a node that has not been looked at.
func (a *impreciseAudit) mayRefine(e simulate.Event, j *simulate.Job, part int) bool {
	enough := seen(a.Scheme, j).Mandatory * (1 - policy.Slack)
	if a.executed(j.ID, part)[0] >= enough {
		return true
	}
	for _, n := range e.Site.Nodes() {
		a.advance(n, e.Time)
	}
	return a.executed(j.ID, part)[0] >= enough
}

func (a *impreciseAudit) executed(id int64, part int) [2]float64 {
	if lengths := a.jobs[id][part]; lengths != nil {
		return *lengths
	}
	return [2]float64{}
}

// completed checks what a job pays.
func (a *impreciseAudit) completed(e simulate.Event) {
	terms := seen(a.Scheme, e.Job)
	var want float64
	for _, lengths := range a.jobs[e.Job.ID] {
		if lengths[0] >= terms.Mandatory*(1-policy.Slack) {
			want += terms.Worth(math.Min(lengths[1], terms.Optional))
		}
	}
	if math.Abs(want-e.Job.Revenue) > 1e-6*math.Max(1, want) {
		a.fail("job %d pays %g for what is worth %g", e.Job.ID, e.Job.Revenue, want)
	}
}

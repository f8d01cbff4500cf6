package workload

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"revopt/model"
	"revopt/simulate"
)

// sectionJobs is the jobs of a section in the first replication of a trace.
type sectionJobs struct {
	jobs int64   // that come at the prices
	seen int64   // of the trace
	work float64 // unit-seconds of the jobs that ran and fit in the pool
	came float64 // expected part of it that comes at the prices

	listed bool // jobs that list several pools may run there
}

// divide lays pools over the trace. Its first pass counts the jobs of all sections that
// may occur.
func (w *Replay) divide(ctx context.Context, seed uint64) error {
	all := func(_, _ int) bool { return true }
	p, err := newPools(w.options.Pools, w.classes, all)
	if err != nil {
		return err
	}
	for _, pool := range p.List {
		s, err := w.selector(pool.Of, pool.Name, true)
		if err != nil {
			return err
		}
		w.pooled = append(w.pooled, s)
	}
	w.lists = map[int32][]int{}
	for list, n := range w.trace.names["partition"] {
		for i, s := range w.pooled {
			if strings.Contains(list, ",") && slices.Contains(s.partitions, int32(n)) {
				w.lists[int32(n)] = append(w.lists[int32(n)], i)
			}
		}
	}
	w.pools, w.classes = p, p.terms
	return w.rank(ctx, seed)
}

// listed returns the customers without regard to pools.
func (w *Replay) listed() []model.Class {
	if w.pools != nil {
		return w.pools.Customers
	}
	return w.classes
}

// pool returns the first pool whose selector takes a job, else the one that takes the rest,
// else -1. If the partition of the job is a list, it notes all pools that list one of it.
func (s *replay) pool(j *simulate.Job, e *entry) int {
	first, second, rest := -1, -1, -1
	lists, listed := s.w.lists[e.partition], s.listed[:0]
	for i := range s.w.pooled {
		of := &s.w.pooled[i]
		if of.Selector == nil {
			rest = i
			continue
		}
		switch {
		case !of.takes(e, 0):
		case slices.Contains(lists, i):
			listed = append(listed, i)
		case first < 0:
			first = i
		case second < 0:
			second = i
		}
		if first >= 0 && lists == nil && (s.notes == nil || second >= 0) {
			break
		}
	}
	s.listed, j.Choice = listed, 0
	switch {
	case len(listed) > 0:
		first = listed[0]
	case first < 0:
		return rest
	case second >= 0 && s.notes != nil:
		if s.notes.Wanted++; s.notes.Wanted == 1 {
			s.notes.Pair = [2]int{first, second}
		}
	}
	if len(listed) > 1 {
		p := s.w.pools
		k := slices.IndexFunc(p.choices, func(set []int) bool { return slices.Equal(set, listed) })
		if k < 0 { // in the first pass
			k, p.choices = len(p.choices), append(p.choices, slices.Clone(listed))
		}
		j.Choice = int32(k)
	}
	return first
}

// note counts a job in the first pass, and reports whether it fits on the machine, or in a
// pool that takes it.
func (w *Replay) note(j *simulate.Job) bool {
	p := w.pools
	if p == nil {
		return j.Width <= w.trace.nodes
	}
	own, s := p.Sections[j.Class], &w.sections[j.Class]
	s.seen++
	if own.Pool < 0 {
		p.Notes.Unplaced++
		return false
	}
	fits := j.Width <= p.List[own.Pool].Units
	for _, i := range p.choices[j.Choice] {
		fits = fits || j.Width <= p.List[i].Units
		w.sections[p.section(own.Customer, i)].listed = true
	}
	switch work := j.Work * float64(j.Width); {
	case !fits:
		p.Notes.Wide[own.Pool]++
	case !j.Void:
		s.work += work
		s.came += w.share(j.Class) * work
	}
	return fits
}

// settle leaves out the sections that do not occur, ranks the others within their pools
// and sets the load, after the first pass.
func (w *Replay) settle(urgency []float64) error {
	old, trace := w.pools, *w.trace
	customers, jobs := old.Customers, make([]int64, len(old.Customers))
	for i, s := range old.Sections {
		w.sections[i].jobs = w.jobs[i]
		jobs[s.Customer] += w.jobs[i]
	}
	if last := len(customers) - 1; w.hasOthers() {
		if w.others = jobs[last]; w.others == 0 && !w.lots() {
			customers, jobs = customers[:last], jobs[:last]
		}
	}
	rest := slices.ContainsFunc(w.pooled, func(s selector) bool { return s.Selector == nil })
	p, err := newPools(old.List, customers, func(c, pool int) bool {
		s := w.sections[old.section(c, pool)]
		return s.seen > 0 || s.listed || w.lots() && (pool >= 0 || !rest)
	})
	if err != nil {
		return err
	}
	p.Cut, p.Notes, p.choices = true, old.Notes, old.choices
	c := &cut{}
	for _, s := range p.Sections {
		c.from = append(c.from, old.section(s.Customer, s.Pool))
	}
	w.pools, w.classes, w.jobs = p, p.terms, jobs
	w.sections, w.pays = pick(c, w.sections), pick(c, w.pays)
	p.ranks = make([]int, len(p.Sections))
	if w.options.QoS == nil {
		w.urgency = pick(c, urgency)
		p.rank(w.urgency)
	}
	var came float64
	trace.nodes, trace.work = p.Units(p.All()), 0
	for i, s := range w.sections {
		trace.work, came = trace.work+s.work, came+s.came
		own := p.Sections[i]
		if w.options.QoS != nil {
			p.ranks[i] = own.Customer // as drawn
		}
		if own.Pool >= 0 && s.jobs > 0 && unpriced(customers[own.Customer].Terms, own.Pool) {
			p.Notes.Unpriced = append(p.Notes.Unpriced, Unpriced{own, s.jobs})
		}
	}
	w.trace, w.ranks = &trace, p.ranks
	if w.came = 1; trace.work > 0 {
		w.came = came / trace.work
	}
	if w.options.Load > 0 {
		w.delay = trace.work / (float64(cmp.Or(w.options.LoadOn, trace.nodes)) * trace.span) / w.options.Load
	}
	return w.checkDelay()
}

// unpriced reports whether a customer pays in some pools, but not in this one.
func unpriced(terms []model.Terms, pool int) bool {
	pays := func(t model.Terms) bool { return t.PerNodeSecond > 0 }
	return slices.ContainsFunc(terms, pays) && !pays(terms[pool])
}

package workload

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
)

// divide lays pools over the trace. The first pass counts the jobs of all sections that
// may occur.
func (w *Replay) divide(ctx context.Context, seed uint64) error {
	w.pools = newPools(w.options.Pools, w.classes, func(_, _ int) bool { return true })
	w.classes, w.fallback = w.pools.terms, -1
	w.lists, w.takers = map[int32]bool{}, map[int32][]int{}
	for i, pool := range w.pools.List {
		s, err := w.selector(pool.Of, pool.Name, true)
		if err != nil {
			return err
		}
		w.pooled = append(w.pooled, s)
		if s.Selector == nil {
			w.fallback = i
			continue
		}
		partitions := s.partitions
		if partitions == nil {
			partitions = []int32{anyPartition}
		}
		for _, n := range partitions {
			if !slices.Contains(w.takers[n], i) {
				w.takers[n] = append(w.takers[n], i)
			}
		}
	}
	for list, n := range w.trace.names["partition"] {
		names := strings.Split(list, ",")
		place := func(pool int) int { // in the list
			return slices.IndexFunc(names, func(name string) bool {
				return slices.Contains(w.pools.List[pool].Of.Partitions, model.Party{Name: name})
			})
		}
		w.lists[int32(n)] = len(names) > 1
		slices.SortStableFunc(w.takers[int32(n)], func(a, b int) int { return cmp.Compare(place(a), place(b)) })
	}
	return w.rank(ctx, seed)
}

// anyPartition stands for the jobs of all partitions.
const anyPartition = -2

// pool returns the first pool whose selector takes a job, else the one that takes the rest,
// else -1, as on a machine without pools. If the partition of the job is a list, the job may run in every pool that names
// an item of the list and has the unit of the first, in which the width of the job is counted.
func (s *replay) pool(j *simulate.Job, e *entry) int {
	w := s.w
	if w.pools == nil {
		return -1
	}
	s.pools = s.pools[:0]
	for _, partition := range [...]int32{e.partition, anyPartition} {
		for _, i := range w.takers[partition] {
			if w.pooled[i].takes(e, 0) {
				s.pools = append(s.pools, i)
			}
		}
		if w.lists[partition] && len(s.pools) > 0 {
			other := func(i int) bool { return w.pools.List[i].Unit != w.pools.List[s.pools[0]].Unit }
			if k := slices.IndexFunc(s.pools, other); k > 0 {
				s.notes.mixed(s.pools[0], s.pools[k])
				s.pools = slices.DeleteFunc(s.pools, other)
			}
			j.Choice = w.pools.choice(s.pools)
			return s.pools[0]
		}
	}
	j.Choice = 0
	if len(s.pools) == 0 {
		return w.fallback
	}
	slices.Sort(s.pools)
	if len(s.pools) > 1 {
		s.notes.wanted(s.pools[0], s.pools[1])
	}
	return s.pools[0]
}

// mixed counts a job that lists pools of different units. A nil receiver counts nothing.
func (n *PoolNotes) mixed(first, other int) {
	if n == nil {
		return
	}
	n.Mixed++
	if n.Mixed == 1 {
		n.Apart = [2]int{first, other}
	}
}

// wanted counts a job that several pools would take. A nil receiver counts nothing.
func (n *PoolNotes) wanted(first, second int) {
	if n == nil {
		return
	}
	n.Wanted++
	if n.Wanted == 1 {
		n.Pair = [2]int{first, second}
	}
}

// choice returns the number of a set of pools, 0 for one pool. New sets come in the first
// pass only.
func (p *Pools) choice(set []int) int32 {
	if len(set) < 2 {
		return 0
	}
	k := slices.IndexFunc(p.run.Choices, func(other []int) bool { return slices.Equal(other, set) })
	if k < 0 {
		k, p.run.Choices = len(p.run.Choices), append(p.run.Choices, slices.Clone(set))
	}
	return int32(k)
}

// count counts a job in the first pass, and reports whether it fits on the machine, or in a
// pool that takes it.
func (w *Replay) count(j *simulate.Job) bool {
	p := w.pools
	if p == nil {
		return w.fits(j)
	}
	at, s := p.Sections[j.Class], &w.sections[j.Class]
	s.seen++
	if at.Pool < 0 {
		p.Notes.Unplaced++
		return false
	}
	fits := w.fits(j)
	for _, i := range p.run.Choices[j.Choice] {
		w.sections[p.section(at.Customer, i)].listed = true
	}
	switch work := j.Work * float64(j.Width); {
	case !fits:
		p.Notes.Wide[at.Pool]++
	case !j.Void:
		s.work += work
		s.came += w.share(j.Class) * work
	}
	return fits
}

// fits reports whether a job fits on the machine, or in a pool that takes it.
func (w *Replay) fits(j *simulate.Job) bool {
	p := w.pools
	if p == nil {
		return j.Width <= w.trace.nodes
	}
	at := p.Sections[j.Class].Pool
	return at >= 0 && (j.Width <= p.List[at].Units ||
		slices.ContainsFunc(p.run.Choices[j.Choice], func(i int) bool { return j.Width <= p.List[i].Units }))
}

// lend gives the sections without jobs the number, lengths and losses of all jobs of their
// customer, at the prices there: jobs may move there.
func (p *Pools) lend(sections []firstJobs) {
	all := make([]firstJobs, len(p.Customers))
	for i, s := range sections {
		c := &all[p.Sections[i].Customer]
		c.ran, c.length, c.area = c.ran+s.ran, c.length+s.length, c.area+s.area
	}
	for i := range sections {
		s, c := &sections[i], all[p.Sections[i].Customer]
		if s.ran == 0 && c.length > 0 {
			s.ran, s.length = c.ran, c.length
			s.decay = c.ran * p.terms[i].Utility(c.length/c.ran, c.area/c.length).Decay
		}
	}
}

// settle leaves out the sections that do not occur, ranks the others within their pools
// and sets the load, after the first pass.
func (w *Replay) settle(urgency []float64) error {
	all := w.pools
	customers, jobs := all.Customers, make([]int64, len(all.Customers))
	for i, s := range all.Sections {
		jobs[s.Customer] += w.sections[i].jobs
	}
	if last := len(customers) - 1; w.hasOthers() {
		w.others = jobs[last]
		if w.others == 0 && !w.lots() {
			customers, jobs = customers[:last], jobs[:last]
		}
	}
	p := newPools(all.List, customers, func(c, pool int) bool {
		s := w.sections[all.section(c, pool)]
		return s.seen > 0 || s.listed || w.lots() && (pool >= 0 || w.fallback < 0)
	})
	p.Cut, p.Notes, p.run.Choices = true, all.Notes, all.run.Choices
	kept := text.Each(p.Sections, func(s Section) int { return all.section(s.Customer, s.Pool) })
	w.pools, w.classes, w.jobs = p, p.terms, jobs
	w.sections, w.pays = pick(kept, w.sections), pick(kept, w.pays)
	if w.options.QoS == nil {
		w.urgency = pick(kept, urgency)
		p.rank(w.urgency)
	} else {
		p.ranks = text.Each(p.Sections, func(s Section) int { return s.Customer }) // as drawn
	}
	w.ranks, p.Notes.Unpriced = p.ranks, make([]int64, len(p.Sections))
	for i, s := range p.Sections {
		if s.Pool >= 0 && unpriced(customers[s.Customer].Terms, s.Pool) {
			p.Notes.Unpriced[i] = w.sections[i].jobs
		}
	}
	w.resize(p.units(nil))
	if w.options.Load > 0 {
		nodes := cmp.Or(w.options.LoadOn, w.trace.nodes)
		w.delay = w.trace.work / (float64(nodes) * w.trace.span) / w.options.Load
	}
	return w.checkDelay()
}

// resize gives the sections a machine of their own, and the trace their work.
func (w *Replay) resize(nodes int) {
	trace, came := *w.trace, 0.0
	trace.nodes, trace.work = nodes, 0
	for _, s := range w.sections {
		trace.work, came = trace.work+s.work, came+s.came
	}
	w.trace = &trace
	w.came = 1
	if trace.work > 0 {
		w.came = came / trace.work
	}
}

// unpriced reports whether a customer pays in some pools, but not in this one.
func unpriced(terms []model.Terms, pool int) bool {
	pays := func(t model.Terms) bool { return t.PerNodeSecond > 0 }
	return slices.ContainsFunc(terms, pays) && !pays(terms[pool])
}

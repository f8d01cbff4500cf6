package slurm

import (
	"cmp"
	"slices"

	"revopt/simulate/workload"
)

// settle brings the events of each job together, in the order of their numbers.
func (m *importer) settle() error {
	sortEvents(m.events, workload.JobNumber, eventKey, eventPlace)
	if err := m.eachJob(m.weigh); err != nil {
		return err
	}
	if err := m.choosePools(); err != nil {
		return err
	}
	last := -1.0
	err := m.eachJob(func(group *jobGroup) { m.decide(group, &last) })
	m.events = nil
	return err
}

// eachJob calls f with the events of each job.
func (m *importer) eachJob(f func(*jobGroup)) error {
	for n := 0; n < len(m.events); {
		if err := m.ctx.Err(); err != nil {
			return err
		}
		first := m.events[n]
		var group jobGroup
		group.take(first)
		for n++; n < len(m.events) && m.events[n].sameJob(first); n++ {
			group.take(m.events[n])
		}
		if len(group.parts) > 1 {
			group.join()
		}
		f(&group)
	}
	return nil
}

// sameJob reports whether two events are of one job.
func (e *event) sameJob(o *event) bool {
	return e[workload.JobNumber] == o[workload.JobNumber] && e[eventKey] == o[eventKey]
}

// jobGroup is the events of one job.
type jobGroup struct {
	best    *event   // the record that counts
	parts   []*event // of a heterogeneous job: the records of its components that count, best among them
	records int64
	marked  [markDeleted + 1]bool
}

// take adds an event. The record that is submitted last counts; of several, the
// last in the log that has ended.
func (g *jobGroup) take(e *event) {
	if kind := int(e[eventKind]); kind > 0 {
		g.marked[kind] = true
		return
	}
	open := func(e *event) bool { return e.fates().has(waiting) || e.fates().has(running) }
	g.records++
	if g.records > 1 {
		a, b := e[workload.SubmitTime], g.best[workload.SubmitTime]
		if a < b || a == b && open(e) && !open(g.best) {
			return
		}
	}
	if e[eventComponent] > 0 {
		g.replace(e)
	}
	g.best = e
}

// replace adds the record of a component. Older ones of the component or of an earlier submission no longer count.
func (g *jobGroup) replace(e *event) {
	g.parts = slices.DeleteFunc(g.parts, func(p *event) bool {
		return p[eventComponent] == e[eventComponent] || p[workload.SubmitTime] < e[workload.SubmitTime]
	})
	g.parts = append(g.parts, e)
}

// join makes one record of those of the components: that of the first one, with the units of all.
func (g *jobGroup) join() {
	first := slices.MinFunc(g.parts, func(a, b *event) int { return cmp.Compare(a[eventComponent], b[eventComponent]) })
	e := *first
	for _, p := range g.parts {
		for _, field := range []int{workload.Allocated, workload.Requested, eventNodes, eventGPUs, eventAskedGPUs} {
			if p != first && p[field] > 0 {
				e[field] = max(e[field], 0) + p[field]
			}
		}
		e[workload.RunTime] = max(e[workload.RunTime], p[workload.RunTime])
	}
	fates := e.fates()
	fates.add(components)
	e[eventFates] = float64(fates)
	g.records -= int64(len(g.parts)) - 1
	g.best, g.parts = &e, nil
}

// decide counts the fates of a job, and keeps the job unless it is left out. last
// is the number of the job that was kept before.
func (m *importer) decide(g *jobGroup, last *float64) {
	e := g.best
	if g.records == 0 {
		switch {
		case g.marked[markStarted]:
			m.count(running)
		case g.marked[markDeleted]:
			m.count(bare)
		case g.marked[markQueued]:
			m.count(waiting)
		default:
			m.count(orphaned)
		}
		return
	}
	m.Counts[superseded].N += g.records - 1
	if e.fates()&omissions == 0 {
		m.assign(e)
	}
	for f := range fate(len(fates)) {
		if e.fates().has(f) {
			m.count(f)
			if omissions.has(f) {
				return // for the first reason
			}
		}
	}
	switch n := e[workload.JobNumber]; {
	case n < 0:
		m.plain = false
	case n == *last && m.Format != workload.SWF && !m.options.Runs:
		m.plain = false
		m.count(reused)
	}
	*last = e[workload.JobNumber]
	m.Jobs++
	m.base = min(m.base, e[workload.SubmitTime])
	for i := range m.names {
		m.names[i].count(int(e[partyField[i]]))
	}
	m.busy(e)
	m.kept = append(m.kept, e)
}

// change is a start or an end of a job.
type change struct {
	at    float64
	procs float64 // that become busy, below 0 at an end
	nodes float64
	known bool // the start is known
	pool  int
}

// busy notes when the processors of a job are busy.
func (m *importer) busy(e *event) {
	if !(e[workload.RunTime] > 0) {
		return
	}
	width := e[workload.Allocated]
	if width <= 0 {
		width = max(e[workload.Requested], 0)
	}
	m.Procs = max(m.Procs, int(width))
	start := e[workload.SubmitTime] + max(e[workload.WaitTime], 0)
	known := e[workload.WaitTime] >= 0
	if known {
		m.started++
	}
	pool := int(e[eventPool])
	m.changes = append(m.changes,
		change{start, width, e[eventNodes], known, pool},
		change{start + e[workload.RunTime], -width, -e[eventNodes], known, pool})
}

// peak finds the most processors and nodes that were busy at a time. A job that
// ends in the second in which another starts has left by then. Jobs whose start is unknown
// are not counted; in a log without any start, every job starts when it is submitted.
func (m *importer) peak() error {
	slices.SortFunc(m.changes, func(a, b change) int {
		return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.procs, b.procs), cmp.Compare(a.nodes, b.nodes))
	})
	procs, nodes := 0.0, 0.0
	for _, c := range m.changes {
		if !c.known && m.started > 0 {
			continue
		}
		procs += c.procs
		nodes += c.nodes
		m.Procs = max(m.Procs, int(procs))
		m.Nodes = max(m.Nodes, int(nodes))
		if p := m.pools[c.pool]; p != nil {
			p.busy += c.procs
			p.Units = max(p.Units, int(p.busy))
		}
	}
	m.fitPools()
	m.changes = nil
	return nil
}

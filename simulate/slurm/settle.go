package slurm

import (
	"revopt/simulate/workload"
)

// settle brings the events of each job together, in the order of their numbers.
func (m *importer) settle() error {
	if err := m.choosePools(); err != nil {
		return err
	}
	var e event
	var group jobGroup
	last := event{workload.JobNumber: -1}
	for n := 0; ; n++ {
		if n&0xfff == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		ok := m.events.next(e[:])
		if !ok || e[eventKey] != group.key || e[workload.JobNumber] != group.best[workload.JobNumber] {
			if group.seen {
				m.decide(&group, &last)
			}
			group = jobGroup{seen: true, key: e[eventKey], best: event{workload.JobNumber: e[workload.JobNumber]}}
		}
		if !ok {
			return m.events.close()
		}
		group.take(&e)
	}
}

// jobGroup is the events of one job.
type jobGroup struct {
	seen    bool
	key     float64
	best    event // the record that counts, or only the number
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
		if a < b || a == b && open(e) && !open(&g.best) {
			return
		}
	}
	g.best = *e
}

// decide counts the fates of a job, and keeps the job unless it is left out. last
// is the job that was kept before.
func (m *importer) decide(g *jobGroup, last *event) {
	e := &g.best
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
	case n == last[workload.JobNumber] && m.Format != workload.SWF && !m.options.Runs:
		m.plain = false
		m.count(reused)
	}
	*last = *e
	m.Jobs++
	m.base = min(m.base, e[workload.SubmitTime])
	for i := range m.names {
		m.names[i].count(int(e[partyField[i]]))
	}
	m.busy(e)
	m.sorted.add(e[:eventKey])
}

// change is a time, 1 for a start or 0 for an end, the processors and nodes that become
// busy, 1 if the start is known, and the number of the pool.
type change [6]float64

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
	start, known := e[workload.SubmitTime]+max(e[workload.WaitTime], 0), 0.0
	if e[workload.WaitTime] >= 0 {
		known = 1
		m.started++
	}
	for _, c := range []change{
		{start, 1, width, e[eventNodes], known, e[eventPool]},
		{start + e[workload.RunTime], 0, -width, -e[eventNodes], known, e[eventPool]},
	} {
		m.changes.add(c[:])
	}
}

// peak finds the most processors and nodes that were busy at a time. A job that
// ends in the second in which another starts has left by then. Jobs whose start is unknown
// are not counted; in a log without any start, every job starts when it is submitted.
func (m *importer) peak() error {
	var c change
	procs, nodes := 0.0, 0.0
	for m.changes.next(c[:]) {
		if c[4] == 0 && m.started > 0 {
			continue
		}
		procs, nodes = procs+c[2], nodes+c[3]
		m.Procs, m.Nodes = max(m.Procs, int(procs)), max(m.Nodes, int(nodes))
		if p := m.pools[int(c[5])]; p != nil {
			p.busy += c[2]
			p.Units = max(p.Units, int(p.busy))
		}
	}
	return m.changes.close()
}

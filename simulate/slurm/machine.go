package slurm

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// A partition with fewer jobs, or a smaller share of the work that is counted in its unit, is no pool of its own.
const (
	leastPoolJobs = 10
	leastPoolWork = 0.001
)

// width returns the units of a job: those that it held or, in a trace, those that it asked for if they are more. A
// job that never held any has the width that it asked for.
func (e *event) width(format workload.LogFormat) float64 {
	if units := e[workload.Allocated]; units > 0 && format != workload.SWF {
		return units
	}
	return max(e[workload.Allocated], e[workload.Requested])
}

// weigh counts a job in the tally of its partition.
func (m *importer) weigh(g *jobGroup) {
	e := g.best
	if g.records == 0 || e.fates()&omissions != 0 {
		return
	}
	p := m.pools[int(e[eventPool])]
	if p == nil {
		return
	}
	run := max(e[workload.RunTime], 0)
	p.tally.jobs++
	p.tally.work += run * max(e.width(m.Format), 0)
	p.tally.gpus += run * max(e[eventGPUs], 1)
}

// counted returns the work of a partition in the unit of its pool.
func (m *importer) counted(p *Pool) float64 {
	if p.Unit == "gpu" && m.unit != "gpu" && m.Format != workload.SWF {
		return p.tally.gpus
	}
	return p.tally.work
}

// joinSmall gives the jobs of small partitions to the pool with most of the work, if possible of the same unit. If all
// are small, there are no pools.
func (m *importer) joinSmall() {
	all := map[string]float64{} // work by unit
	for _, p := range m.pools {
		all[p.Unit] += m.counted(p)
	}
	numbers := slices.Sorted(maps.Keys(m.pools))
	large, small := text.Where(numbers, func(n int) bool {
		p := m.pools[n]
		return p.tally.jobs >= leastPoolJobs && m.counted(p) >= leastPoolWork*all[p.Unit]
	}), []int(nil)
	for _, n := range numbers {
		if !slices.Contains(large, n) {
			small = append(small, n)
		}
	}
	// The records of a trace are counted in the units of their partitions already.
	fixed := m.Format == workload.SWF && len(all) > 1
	switch {
	case len(large) == 0 && fixed:
		return
	case len(large) == 0:
		clear(m.pools)
		return
	}
	m.home = map[int]int{}
	for _, n := range small {
		same := text.Where(large, func(other int) bool { return m.pools[other].Unit == m.pools[n].Unit })
		switch {
		case same == nil && fixed:
			continue
		case same == nil:
			same = large
		}
		home := slices.MaxFunc(same, func(a, b int) int {
			return cmp.Or(cmp.Compare(m.pools[a].tally.work, m.pools[b].tally.work), b-a)
		})
		m.home[n] = home
		m.pools[home].numbers = append(m.pools[home].numbers, n)
		delete(m.pools, n)
	}
}

// homeOf returns the number of the pool that takes the jobs of a partition.
func (m *importer) homeOf(partition int) int {
	if home, ok := m.home[partition]; ok {
		return home
	}
	return partition
}

// limit returns the units of the machine as stated, or by the header of a trace, 0 if there are none.
func (m *importer) limit() int {
	if m.options.Nodes > 0 {
		return m.options.Nodes
	}
	if m.Format == workload.SWF && !m.Header.Guessed() {
		return m.Header.Nodes()
	}
	return 0
}

// fitPools makes one pool of partitions that share units: while the pools together have more units than the
// machine, it joins the two pools that need the fewest units more apart than together. If that leaves one pool, the
// machine is not divided.
func (m *importer) fitPools() {
	limit := m.limit()
	if limit == 0 || m.options.Pools != Proposed {
		return
	}
	shared := text.Where(slices.Sorted(maps.Keys(m.pools)), func(n int) bool { return m.pools[n].Unit == m.unit })
	units := func(n int) int { return m.pools[n].Units }
	const mostSteps = 1e9 // of the comparison of pairs
	if steps := float64(len(shared)*len(shared)) * float64(len(m.changes)) / 2; steps > mostSteps &&
		text.Sum(shared, units) > limit {
		for _, n := range shared[1:] {
			m.joinPools(shared[0], n, limit)
		}
		shared = shared[:1]
	}
	known := map[[2]int]int{} // most units in use of two pools together
	for len(shared) > 1 && text.Sum(shared, units) > limit {
		best, together, saved := [2]int{}, 0, math.MinInt
		for i, a := range shared {
			for _, b := range shared[i+1:] {
				pair := [2]int{a, b}
				if _, ok := known[pair]; !ok {
					known[pair] = max(m.joint(a, b), m.pools[a].widest, m.pools[b].widest)
				}
				if s := units(a) + units(b) - known[pair]; s > saved {
					best, together, saved = pair, known[pair], s
				}
			}
		}
		m.joinPools(best[0], best[1], together)
		shared = slices.DeleteFunc(shared, func(n int) bool { return n == best[1] })
		maps.DeleteFunc(known, func(pair [2]int, _ int) bool {
			return slices.Contains(best[:], pair[0]) || slices.Contains(best[:], pair[1])
		})
	}
	if len(shared) == 1 {
		m.pools[shared[0]].Units = min(units(shared[0]), limit)
	}
	if len(m.pools) == 1 {
		m.pools = nil
	}
}

// joint returns the most units that two pools have in use at one time.
func (m *importer) joint(a, b int) int {
	busy, most := 0.0, 0.0
	for _, c := range m.changes {
		if (c.pool == a || c.pool == b) && (c.known || m.started == 0) {
			busy += c.procs
			most = max(most, busy)
		}
	}
	return int(most)
}

// joinPools makes one pool of two.
func (m *importer) joinPools(a, b, units int) {
	p, q := m.pools[a], m.pools[b]
	numbers := append(slices.Clone(p.numbers), q.numbers...)
	if q.tally.work > p.tally.work {
		numbers = append(slices.Clone(q.numbers), p.numbers...)
	}
	p.numbers = numbers
	p.Units = max(units, 1)
	p.widest = max(p.widest, q.widest)
	p.Jobs += q.Jobs
	p.tally = poolTally{p.tally.jobs + q.tally.jobs, p.tally.work + q.tally.work, p.tally.gpus + q.tally.gpus}
	delete(m.pools, b)
	for i := range m.changes {
		if m.changes[i].pool == b {
			m.changes[i].pool = a
		}
	}
}

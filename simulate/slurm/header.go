package slurm

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// nameTable is the names of users, groups, queues, partitions or accounts by number from 1.
type nameTable struct {
	key, letter string
	numbers     map[string]int32
	list        []namedParty
}

type namedParty struct {
	name string
	jobs int64 // written
}

// The parties of a job, and the fields of a record that hold their numbers.
const (
	partyAccount = iota
	partyPartition
	partyQueue
	partyGroup
	partyUser
	partyCount
)

var partyField = [partyCount]int{
	workload.Executable, workload.Partition, workload.Queue, workload.Group, workload.User,
}

func newNameTables() (list [partyCount]nameTable) {
	for i, key := range [partyCount]string{"Account", "Partition", "Queue", "Group", "User"} {
		list[i] = nameTable{key: key, letter: strings.ToLower(key[:1]), numbers: map[string]int32{}}
	}
	return list
}

// number returns the number of a name, -1 if it is empty. Names that are the same in the
// form that a header can hold have one number.
func (p *nameTable) number(name []byte) float64 {
	n, ok := p.numbers[string(name)]
	if ok {
		return float64(n)
	}
	n = -1
	if short := workload.TidyName(string(name)); short != "" {
		n = p.numbers[short]
		if n == 0 {
			p.list = append(p.list, namedParty{name: short})
			n = int32(len(p.list))
			p.numbers[short] = n
		}
	}
	p.numbers[string(name)] = n
	return float64(n)
}

// count counts a job that is written. Numbers without a name are not counted.
func (p *nameTable) count(n int) {
	if n > 0 && n <= len(p.list) {
		p.list[n-1].jobs++
	}
}

// partitions returns the party that divides the machine.
func (m *importer) partitions() *nameTable {
	if m.Format == workload.PBS && m.rule != PerGPU {
		return &m.names[partyQueue]
	}
	return &m.names[partyPartition]
}

// partitionNames lists partitions, those with jobs or all, and counts them.
func (m *importer) partitionNames(all bool) (names string, n int) {
	p, list := m.partitions(), []string(nil)
	for i, x := range p.list {
		if all || x.jobs > 0 {
			list = append(list, m.name(p, i+1))
		}
	}
	n = len(list)
	if n > 8 {
		list = append(list[:8], "...")
	}
	return strings.Join(list, ", "), n
}

func (m *importer) name(p *nameTable, n int) string {
	if m.options.Anonymize && !(m.rule == PerGPU && p.key == "Partition") { // cpu and gpu
		return p.letter + strconv.Itoa(n)
	}
	return p.list[n-1].name
}

func (m *importer) failf(format string, args ...any) error {
	return &workload.Error{File: m.lines.File, Message: fmt.Sprintf(format, args...)}
}

// check refuses a log without jobs.
func (m *importer) check() error {
	for i := gpu; i < resourceCount && m.Jobs > 0 && m.Format != workload.SWF; i++ {
		if m.units.is(i) && !m.stated[i] {
			return m.failf("expected jobs that state %s, for --units %s, got none", resourceNames[i], resourceNames[i])
		}
	}
	switch {
	case m.Procs > workload.MaxNodes:
		return m.failf("expected at most %d units in use at one time, got %d", workload.MaxNodes, m.Procs)
	case m.Jobs > 0:
		return nil
	}
	if name := m.options.Partition; name != "" && m.Counts[elsewhere].N > 0 {
		names, _ := m.partitionNames(true)
		return m.failf("expected jobs of partition %q, got none that ended; the log has %s", name, names)
	}
	why, mark := "", ": "
	for _, c := range m.Counts {
		if c.N > 0 {
			why += fmt.Sprintf("%s%d %s", mark, c.N, c.Text)
			mark = ", "
		}
	}
	return m.failf("expected jobs that have ended, got none%s", why)
}

func (m *importer) report() {
	m.plain = (m.plain || m.Format == workload.SWF) && !m.options.Anonymize
	m.listPools()
	if m.Format != workload.SWF {
		m.header()
	} else if m.Header.Nodes() == 0 {
		m.line("MaxProcs: %d", max(cmp.Or(m.options.Nodes, m.Procs), 1))
		if m.options.Nodes == 0 {
			m.line("Note: MaxProcs is the most that were busy at a time")
		}
	}
	m.warnAll()
	m.Counts = slices.DeleteFunc(m.Counts, func(c ImportCount) bool { return c.N == 0 })
}

func (m *importer) line(format string, args ...any) {
	m.Header.Lines = append(m.Header.Lines, "; "+fmt.Sprintf(format, args...))
}

// header makes the header, which names the numbers of the trace.
func (m *importer) header() {
	start := time.Unix(int64(m.base), 0).In(m.clock.zone)
	_, offset := start.Zone()
	procs, nodes := cmp.Or(m.options.Nodes, m.Procs), m.Nodes
	if nodes == 0 || m.unit != "core" {
		nodes = procs
	}
	m.line("Version: 2.2")
	m.line("MaxJobs: %d", m.Jobs)
	m.line("MaxRecords: %d", m.Jobs)
	m.line("UnixStartTime: %d", int64(m.base))
	m.line("TimeZone: %d", offset)
	m.line("TimeZoneString: %s", m.clock.zone)
	m.line("StartTime: %s", start.Format("Mon Jan _2 15:04:05 MST 2006"))
	m.line("MaxNodes: %d", nodes)
	m.line("MaxProcs: %d", max(procs, 1))
	if full := m.fullNode(); m.unit != "core" || full == 1 || nodes*full != procs || procs != m.Procs {
		m.line("Unit: %s", m.unit) // jobs may share nodes, so MaxNodes is not that of the machine
	}
	if m.options.Nodes == 0 {
		guess := "were busy at a time; a node that jobs shared counts once for each"
		if m.started == 0 {
			guess = "are busy at a time if every job starts when it is submitted"
		}
		m.line("Guess: MaxProcs and MaxNodes are the most that %s", guess)
	}
	m.line("Note: the executable is the account, the queue is the QOS or the queue")
	left := workload.MaxHeader * 3 / 4
	for k := range m.names {
		p, missing := &m.names[k], 0
		for i, x := range p.list {
			if x.jobs == 0 {
				continue
			}
			name := fmt.Sprintf("%s: %d %s", p.key, i+1, m.name(p, i+1))
			left -= len("; \n") + len(name)
			if left >= 0 {
				m.line("%s", name)
			} else {
				missing++
			}
		}
		if missing > 0 {
			m.warn("names", "the names of %s are left out: a header has at most %d bytes",
				text.Plural(missing, strings.ToLower(p.key)), workload.MaxHeader)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(m.pools)) {
		if p := m.pools[n]; p.Jobs > 0 && m.mixed() {
			m.line("PoolUnit: %d %s", n, p.Unit)
		}
	}
}

// fullNode returns the most processors that a job has per node, 0 if none is known.
func (m *importer) fullNode() int { return slices.Max(append(slices.Collect(maps.Keys(m.perNode)), 0)) }

// traceHeader makes the header of an imported trace, perhaps without names.
func (m *importer) traceHeader(h *workload.Header) {
	if !m.options.Anonymize {
		m.Header = *h
		return
	}
	for _, key := range []string{"Version", "UnixStartTime", "TimeZone", "MaxNodes", "MaxProcs", "Unit", "Guess"} {
		if value := h.Get(key); value != "" {
			m.line("%s: %s", key, value)
		}
	}
	for i := range m.names {
		p := &m.names[i]
		for n := range p.list {
			if h.Names()[strings.ToLower(p.key)] != nil {
				m.line("%s: %d %s", p.key, n+1, m.name(p, n+1))
			}
		}
	}
	units := h.PoolUnits()
	for _, old := range slices.Sorted(maps.Keys(units)) {
		if n := m.names[partyPartition].numbers[strconv.Itoa(old)]; n > 0 {
			m.line("PoolUnit: %d %s", n, units[old])
		}
	}
}

func (m *importer) warn(kind, format string, args ...any) {
	m.Warnings = append(m.Warnings, Warning{kind, fmt.Sprintf(format, args...)})
}

// warnAll makes the warnings about the whole log.
func (m *importer) warnAll() {
	if names, used := m.partitionNames(false); used > 1 && m.options.Partition == "" && m.pools == nil &&
		!m.options.Runs {
		m.warn("partitions", "%d partitions as one machine (%s): where their nodes differ or are not shared, "+
			"jobs seem to find room that they never had; revopt init makes each a pool, or takes one by --partition",
			used, names)
	}
	if c := &m.clock; c.zoned > 0 && c.unzoned > 0 {
		m.warn("zones", "%d times have a zone and %d have none: these are taken as %s", c.zoned, c.unzoned, c.zone)
	}
	if m.options.Zone == nil && m.Counts[hourOff].N+m.Counts[ranFor].N > 0 {
		m.warn("clock", "the clock of the log was changed: say its zone with --time-zone")
	}
	if m.units.is(node) {
		most, jobs, partly := m.fullNode(), int64(0), int64(0)
		for size, n := range m.perNode {
			jobs += n
			if size < most {
				partly += n
			}
		}
		if partly > 0 {
			m.warn("nodes", "%d of %d jobs had fewer than %d processors per node: "+
				"counted by nodes they take whole ones, also where several shared one", partly, jobs, most)
		}
	}
	if nodes := m.options.Nodes; nodes > 0 && m.Procs > nodes {
		m.warn("size", "%s were busy at a time, more than the %d stated", text.Plural(m.Procs, m.Header.Unit()), nodes)
	}
	if m.started == 0 && m.options.Nodes == 0 && m.Format != workload.SWF {
		m.warn("starts", "the log has no starts: the size of the machine or of a pool is the most in use if no job "+
			"waits; state the real size with --nodes or in the pools of a scenario")
	}
	if n := m.Counts[accelerated].N; n > 0 {
		m.warn("accelerators", "accelerators of %s are ignored (revopt init makes pools that count GPUs)",
			text.Plural(int(n), "job"))
	}
}

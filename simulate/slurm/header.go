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

// nameTable is the names of users, groups, queues, partitions or accounts, by
// number from 1.
type nameTable struct {
	key, letter string
	numbers     map[string]int32
	names       []string
	jobs        []int64 // written, by number
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

// number returns the number of a name, -1 if it is empty.
func (p *nameTable) number(name []byte) float64 {
	if len(name) == 0 {
		return -1
	}
	n, ok := p.numbers[string(name)]
	if !ok {
		n = p.clean(string(name))
		p.numbers[string(name)] = n
	}
	return float64(n)
}

// clean returns the number of a name that was not seen before, in the form that a
// header can hold.
func (p *nameTable) clean(name string) int32 {
	short := workload.TidyName(name)
	if short == "" {
		return -1
	}
	if n, ok := p.numbers[short]; ok {
		return n
	}
	p.names = append(p.names, short)
	n := int32(len(p.names))
	p.numbers[short] = n
	return n
}

// count counts a job that is written. Numbers without a name are not counted.
func (p *nameTable) count(n int) {
	if n > 0 && n <= len(p.names) {
		p.jobs = append(p.jobs, make([]int64, max(len(p.names)+1-len(p.jobs), 0))...)
		p.jobs[n]++
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
	for i := range p.names {
		if all || i+1 < len(p.jobs) && p.jobs[i+1] > 0 {
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
	return p.names[n-1]
}

// check refuses a log without jobs.
func (m *importer) check() error {
	for i := gpu; i < resourceCount && m.Jobs > 0 && m.Format != workload.SWF; i++ {
		if m.units.uses[i] && !m.stated[i] {
			return &workload.Error{File: m.lines.File,
				Message: fmt.Sprintf("expected jobs that state %s, for --units %s, got none", resourceNames[i], m.units.text)}
		}
	}
	if m.Jobs > 0 {
		return nil
	}
	e := &workload.Error{File: m.lines.File, Message: "expected jobs that have ended, got none"}
	if name := m.options.Partition; name != "" && m.counts[elsewhere] > 0 {
		names, _ := m.partitionNames(true)
		e.Message = fmt.Sprintf("expected jobs of partition %q, got none that ended; the log has %s", name, names)
		return e
	}
	var why []string
	for f, n := range m.counts {
		if n > 0 {
			why = append(why, fmt.Sprintf("%d %s", n, fates[f].Text))
		}
	}
	if len(why) > 0 {
		e.Message += ": " + strings.Join(why, ", ")
	}
	return e
}

// report makes the header, the counts and the warnings.
func (m *importer) report() {
	m.plain = (m.plain || m.Format == workload.SWF) && !m.options.Anonymize
	m.listPools()
	if m.Format != workload.SWF {
		m.header()
	} else if m.Header.Nodes() == 0 {
		size := fmt.Sprintf("; MaxProcs: %d", max(cmp.Or(m.options.Nodes, m.Procs), 1))
		if m.Header.Lines = append(m.Header.Lines, size); m.options.Nodes == 0 {
			m.Header.Lines = append(m.Header.Lines, "; Note: MaxProcs is the most that were busy at a time")
		}
	}
	for f, n := range m.counts {
		if n > 0 {
			c := fates[f]
			c.N = n
			m.Counts = append(m.Counts, c)
		}
	}
	m.warnAll()
}

// header makes the header, which names the numbers of the trace.
func (m *importer) header() {
	start := time.Unix(int64(m.base), 0).In(m.clock.zone)
	_, offset := start.Zone()
	procs, nodes := cmp.Or(m.options.Nodes, m.Procs), m.Nodes
	if nodes == 0 || m.unit != "core" {
		nodes = procs
	}
	left := workload.MaxHeader * 3 / 4
	lines := []string{
		"; Version: 2.2", fmt.Sprintf("; MaxJobs: %d", m.Jobs), fmt.Sprintf("; MaxRecords: %d", m.Jobs),
		fmt.Sprintf("; UnixStartTime: %d", int64(m.base)),
		fmt.Sprintf("; TimeZone: %d", offset), "; TimeZoneString: " + m.clock.zone.String(),
		"; StartTime: " + start.Format("Mon Jan _2 15:04:05 MST 2006"),
		fmt.Sprintf("; MaxNodes: %d", nodes), fmt.Sprintf("; MaxProcs: %d", max(procs, 1)),
	}
	if full := m.fullNode(); m.unit != "core" || full == 1 || nodes*full != procs || procs != m.Procs {
		lines = append(lines, "; Unit: "+m.unit) // jobs may share nodes, so MaxNodes is not that of the machine
	}
	if m.options.Nodes == 0 {
		guess := "were busy at a time; a node that jobs shared counts once for each"
		if m.started == 0 {
			guess = "are busy at a time if every job starts when it is submitted"
		}
		lines = append(lines, "; Guess: MaxProcs and MaxNodes are the most that "+guess)
	}
	lines = append(lines, "; Note: the executable is the account, the queue is the QOS or the queue")
	for i := range m.names {
		p, missing := &m.names[i], 0
		for n, jobs := range p.jobs {
			if jobs == 0 {
				continue
			}
			line := fmt.Sprintf("; %s: %d %s", p.key, n, m.name(p, n))
			if left -= len(line) + 1; left < 0 {
				missing++
				continue
			}
			lines = append(lines, line)
		}
		if missing > 0 {
			m.warn("names", "the names of %s are left out: a header has at most %d bytes",
				text.Plural(missing, strings.ToLower(p.key)), workload.MaxHeader)
		}
	}
	for _, n := range slices.Sorted(maps.Keys(m.pools)) {
		if p := m.pools[n]; n > 0 && p.Jobs > 0 && m.mixed() {
			lines = append(lines, fmt.Sprintf("; PoolUnit: %d %s", n, p.Unit))
		}
	}
	m.Header.Lines = lines
}

// fullNode returns the most processors that a job has per node, 0 if none is known.
func (m *importer) fullNode() int { return slices.Max(append(slices.Collect(maps.Keys(m.perNode)), 0)) }

// traceHeader returns the header of an imported trace, without names and other
// text if it is to be anonymous.
func (m *importer) traceHeader(h *workload.Header) workload.Header {
	if !m.options.Anonymize {
		return *h
	}
	var list []string
	names := h.Names()
	for _, key := range []string{"Version", "UnixStartTime", "TimeZone", "MaxNodes", "MaxProcs", "Unit", "Guess"} {
		if value := h.Get(key); value != "" {
			list = append(list, "; "+key+": "+value)
		}
	}
	for i := range m.names {
		p := &m.names[i]
		if names[strings.ToLower(p.key)] == nil {
			continue
		}
		for n := range p.names {
			list = append(list, fmt.Sprintf("; %s: %d %s%d", p.key, n+1, p.letter, n+1))
		}
	}
	return workload.Header{Lines: list}
}

func (m *importer) warn(kind, format string, args ...any) {
	m.Warnings = append(m.Warnings, ImportWarning{kind, fmt.Sprintf(format, args...)})
}

// warnAll makes the warnings about the whole log.
func (m *importer) warnAll() {
	if names, used := m.partitionNames(false); used > 1 && m.options.Partition == "" && m.pools == nil {
		m.warn("partitions", "%d partitions as one machine (%s): where their nodes differ or are not shared, "+
			"jobs seem to find room that they never had; --pools partition keeps them apart, --partition imports one",
			used, names)
	}
	if c := &m.clock; c.zoned > 0 && c.unzoned > 0 {
		m.warn("zones", "%d times have a zone and %d have none: these are taken as %s", c.zoned, c.unzoned, c.zone)
	}
	if m.options.Zone == nil && m.counts[hourOff]+m.counts[ranFor] > 0 {
		m.warn("clock", "the clock of the log was changed: say its zone with --time-zone")
	}
	if m.units.only == node {
		most, jobs, partly := m.fullNode(), int64(0), int64(0)
		for size, n := range m.perNode {
			if jobs += n; size < most {
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
	if n := m.counts[offers]; n > 0 {
		m.warn("offers", "deadlines and prices of %s are left out: a trace has no field for them; "+
			"the customers of a scenario state them", text.Plural(int(n), "job"))
	}
	if n := m.counts[accelerated]; n > 0 {
		m.warn("accelerators", "accelerators of %s are ignored (--pools gpu and --units gpu count GPUs)",
			text.Plural(int(n), "job"))
	}
}

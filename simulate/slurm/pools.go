package slurm

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// PoolRule says how the jobs of a log are divided into pools; "" is not at all.
type PoolRule string

// The rules.
const (
	PerPartition PoolRule = "partition" // a pool for each partition; of PBS, for each queue
	PerGPU       PoolRule = "gpu"       // jobs with GPUs are the pool gpu, the others the pool cpu

	// Proposed is by partition if there are several that matter, else by GPU if jobs hold some. A partition
	// matters if it has ten jobs or more and a thousandth of the work or more. Together the pools have at most
	// the units that the header or the configuration states; partitions that share them are one pool.
	Proposed PoolRule = "auto"
)

// Pool is jobs of a log that share units. Units is the most in use at one time, at least
// those of the widest job; if no job of the log has a start, the most in use if every job
// starts when it is submitted. A configuration states the units itself.
type Pool struct {
	Name    string
	Units   int
	Started bool
	Unit    string
	Jobs    int64
	By      string // partition or queue, "" for all jobs that no other pool takes
	Party   string // the partition or queue with most of the work

	Parties []string // that are one pool; nil: Party alone
	Stated  bool     // by a header or a configuration: Units is no guess
	// the parties are numbers of a trace whose header names none
	Numbered bool

	votes   int64 // lines of jobs with GPUs less those of jobs without
	without int64 // jobs without a GPU that count as one
	busy    float64
	widest  int   // units of the widest job
	numbers []int // of the partitions, the one with most of the work first
	tally   poolTally
}

// poolTally is the jobs of a partition that are kept, before they are counted in the units of a pool.
type poolTally struct {
	jobs int64
	work float64 // in units of the log, unit-seconds
	gpus float64 // GPU-seconds, of at least one for every job
}

// firstOf returns the partition in which a job counts that may run in several, such as
// a,b: the one that is imported, else the first.
func (m *importer) firstOf(list string) string {
	names := strings.Split(strings.TrimLeft(list, ","), ",")
	if p := m.options.Partition; slices.Contains(names, p) {
		return p
	}
	return names[0]
}

// poolOf returns the number of the pool of a job by its partition, -1 without one, and
// whether the job may run in several.
func (m *importer) poolOf(j *logJob) (number int, several bool) {
	partition := j.partition
	if m.Format == workload.PBS {
		partition = j.queue
	}
	several = bytes.IndexByte(partition, ',') >= 0
	if several {
		partition = []byte(m.firstOf(string(partition)))
		if m.options.Anonymize {
			j.partition = partition
		}
	}
	return int(m.partitions().number(partition)), several
}

// inPool notes a line of a job of a pool, which says whether the pool counts GPUs unless
// the job may run in several.
func (m *importer) inPool(number int, several, holdsGPUs bool) {
	p := m.pools[number]
	if p == nil {
		p = &Pool{Unit: cmp.Or(m.poolUnits[number], m.unit), numbers: []int{number}}
		m.pools[number] = p
	}
	m.held = m.held || holdsGPUs
	switch {
	case several:
	case holdsGPUs:
		p.votes++
	default:
		p.votes--
	}
}

// choosePools settles the pools and their units after the log is read.
func (m *importer) choosePools() error {
	rule := m.options.Pools
	for _, p := range m.pools {
		if p.votes > 0 && m.options.Units == nil {
			p.Unit = "gpu"
		}
	}
	if rule == Proposed && m.Format != workload.PBS {
		m.joinSmall()
		if len(m.pools) > 1 {
			rule = PerPartition
		}
	}
	const most = 1000 // of a scenario
	switch {
	case rule == PerGPU && !m.held && len(m.pools) > 0:
		return m.lines.Errorf("expected jobs that hold GPUs, for --pools gpu, got none")
	case rule == PerPartition && len(m.pools) > most:
		return m.failf("expected at most %d pools, got %d %ss: --partition imports one of them, "+
			"--pools none makes one machine", most, len(m.pools), strings.ToLower(m.partitions().key))
	case rule != Proposed:
	case m.held && !m.units.is(gpu, billing):
		rule = PerGPU
	default:
		rule, m.pools = "", nil
	}
	m.rule = rule
	if rule == PerGPU {
		m.names[partyPartition] = newNameTables()[partyPartition]
		m.names[partyPartition].number([]byte("cpu"))
		m.names[partyPartition].number([]byte("gpu"))
		m.pools = map[int]*Pool{1: {Unit: m.unit, numbers: []int{1}}, 2: {Unit: "gpu", numbers: []int{2}}}
		m.home = nil
	}
	return nil
}

// assign counts a job that is kept in its pool, in the units of the pool.
func (m *importer) assign(e *event) {
	if m.rule == PerGPU {
		e[workload.Partition] = 1
		if e[eventGPUs] > 0 {
			e[workload.Partition] = 2
		}
		e[eventPool] = e[workload.Partition]
	}
	partition := int(e[eventPool])
	home := m.homeOf(partition)
	e[eventPool] = float64(home)
	p := m.pools[home]
	if p == nil {
		return
	}
	if p.Unit == "gpu" && m.unit != "gpu" && m.Format != workload.SWF {
		f := e.fates() &^ (1<<accelerated | 1<<least)
		for _, pair := range [2][2]int{{workload.Allocated, eventGPUs}, {workload.Requested, eventAskedGPUs}} {
			if e[pair[0]] > 0 {
				e[pair[0]] = max(e[pair[1]], 1)
			}
		}
		if e[eventGPUs] == 0 {
			f.add(least)
			p.without++
		}
		e[eventFates] = float64(f)
	}
	p.Jobs++
	p.widest = max(p.widest, int(e.width(m.Format)), 1)
	p.Units = max(p.Units, p.widest)
	m.partitions().count(partition)
}

// listPools makes the facts of the pools. The one that takes the jobs without a partition is the last one.
func (m *importer) listPools() {
	seen := map[string]bool{}
	table, without := m.partitions(), []string(nil)
	numbers := slices.Sorted(maps.Keys(m.pools))
	for _, n := range numbers {
		p := m.pools[n]
		p.Started = m.started > 0
		p.By = strings.ToLower(table.key)
		for _, number := range p.numbers {
			party := "others"
			switch {
			case number < 0:
				p.By = "" // all other jobs
			case m.Format != workload.SWF:
				party = m.name(table, number)
			case m.options.Anonymize:
				party = m.name(table, int(table.number(strconv.AppendInt(nil, int64(number), 10))))
			default:
				party = m.traceNames[number]
			}
			p.Parties = append(p.Parties, party)
		}
		p.Party = p.Parties[0]
		if len(p.Parties) == 1 {
			p.Parties = nil
		}
		name := p.Party
		p.Numbered = m.numbered && !m.options.Anonymize && p.By != ""
		if p.Numbered {
			name = p.By + name
		}
		// These characters have a meaning in paths and lists.
		p.Name = text.Distinct(strings.NewReplacer(".", "-", ",", "-", "*", "-", "=", "-").Replace(name), seen)
		if p.Jobs > 0 {
			m.Pools = append(m.Pools, *p)
		}
		if p.without > 0 {
			without = append(without, fmt.Sprintf("%d in %s", p.without, p.Name))
		}
	}
	slices.SortStableFunc(m.Pools, func(a, b Pool) int { return strings.Compare(b.By, a.By) }) // the rest is last
	if without != nil {
		m.warn("gpus", "jobs that hold no GPU count as one GPU in pools that count GPUs: %s",
			strings.Join(text.Few(without), ", "))
	}
	if len(m.Pools) > 0 && m.Format != workload.SWF {
		m.unit = m.Pools[0].Unit
		if m.mixed() {
			m.unit = "unit"
		}
	}
}

// mixed reports whether pools count different units.
func (m *importer) mixed() bool {
	return slices.ContainsFunc(m.Pools, func(p Pool) bool { return p.Unit != m.Pools[0].Unit })
}

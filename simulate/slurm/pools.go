package slurm

import (
	"cmp"
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
	Proposed     PoolRule = "auto"      // by partition if there are several, else by GPU if jobs hold some
)

// Pool is jobs of a log that share units.
type Pool struct {
	Name string `json:"name"`

	// Units is the most in use at one time, at least those of the widest job. If no job
	// has a start, it is the most in use if every job starts when it is submitted.
	Units   int    `json:"units"`
	Started bool   `json:"starts_known"`
	Unit    string `json:"unit"`
	Jobs    int64  `json:"jobs"`
	By      string `json:"by"`     // partition or queue, "" for the jobs without one
	Party   string `json:"party"`  // its name in the trace, "" if it has only a number
	Number  int    `json:"number"` // in the trace
}

const maxPools = 1000 // of a scenario

// pool is the jobs of a partition.
type pool struct {
	jobs   int64
	held   int64  // lines of jobs with GPUs
	lines  int64  // lines of jobs
	unit   string // "gpu" if the jobs are counted in GPUs
	use    usage
	widest int
}

// usage follows the units in use, by known starts and as if every job started when it was
// submitted.
type usage struct {
	known, all struct{ busy, peak float64 }
	started    bool // some job has a start
}

func (u *usage) add(units float64, known bool) {
	u.all.busy += units
	u.all.peak = max(u.all.peak, u.all.busy)
	if known {
		u.started = true
		u.known.busy += units
		u.known.peak = max(u.known.peak, u.known.busy)
	}
}

// most returns the most units in use at one time.
func (u *usage) most() int {
	if u.started {
		return int(u.known.peak)
	}
	return int(u.all.peak)
}

// noPool is the number of the pool of jobs without a partition.
const noPool = -1

// poolNumber returns the number of the pool of a job by its partition, a name or a list
// such as a,b: jobs that may run in several count in the first. Every name of the list gets
// a number.
func (m *importer) poolNumber(j *logJob) int {
	number, partition := noPool, j.partition
	if m.Format == workload.PBS {
		partition = j.queue
	}
	for i, part := range strings.Split(string(partition), ",") {
		if n := int(m.partitions().number([]byte(part))); i == 0 {
			number = n
		}
	}
	return number
}

// inPool notes a line of a job of a pool.
func (m *importer) inPool(number int, holdsGPUs bool) {
	p := m.pools[number]
	if p == nil {
		p = &pool{unit: cmp.Or(m.poolUnits[number], m.unit)}
		m.pools[number] = p
	}
	if p.lines++; holdsGPUs {
		p.held++
	}
}

// choosePools settles the pools and their units after the log is read.
func (m *importer) choosePools() error {
	rule, holders := m.options.Pools, 0
	for _, p := range m.pools {
		if p.held > 0 {
			holders++
		}
		if 2*p.held > p.lines && m.options.Units == nil {
			p.unit = "gpu"
		}
	}
	switch {
	case rule == Proposed && len(m.pools) > 1 && len(m.pools) <= maxPools && m.Format != workload.PBS:
		rule = PerPartition
	case rule == Proposed && holders > 0 && !m.units.uses[gpu] && !m.units.uses[billing]:
		rule = PerGPU
	case rule == Proposed:
		rule = ""
	case len(m.pools) > maxPools:
		return m.lines.Errorf("expected at most %d pools, got %d partitions", maxPools, len(m.pools))
	case rule == PerGPU && holders == 0 && len(m.pools) > 0:
		return m.lines.Errorf("expected jobs that hold GPUs, for --pools gpu, got none")
	}
	switch m.rule = rule; rule {
	case "":
		m.pools = nil
	case PerGPU:
		table := &m.names[partyPartition]
		*table = nameTable{key: table.key, letter: table.letter, numbers: map[string]int32{}}
		m.pools = map[int]*pool{1: {unit: m.unit}, 2: {unit: "gpu"}}
		table.number([]byte("cpu"))
		table.number([]byte("gpu"))
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
	p := m.pools[int(e[eventPool])]
	if p == nil {
		return
	}
	p.jobs++
	if p.unit == "gpu" && m.unit != "gpu" && m.Format != workload.SWF {
		f := e.fates() &^ (1<<accelerated | 1<<least)
		for _, x := range [...][2]int{{workload.Allocated, eventGPUs}, {workload.Requested, eventAskedGPUs}} {
			if e[x[0]] > 0 {
				e[x[0]] = max(e[x[1]], 1)
			}
		}
		if e[eventGPUs] == 0 {
			f.add(least)
		}
		e[eventFates] = float64(f)
	}
	p.widest = max(p.widest, int(e[workload.Allocated]), int(e[workload.Requested]))
}

// listPools makes the facts of the pools.
func (m *importer) listPools() {
	by, seen := "partition", map[string]bool{}
	if m.partitions().key == "Queue" {
		by = "queue"
	}
	numbers := slices.Sorted(maps.Keys(m.pools))
	if len(numbers) > 0 && numbers[0] == noPool { // takes the rest
		numbers = append(numbers[1:], noPool)
	}
	for _, n := range numbers {
		p := m.pools[n]
		if p.jobs == 0 {
			continue
		}
		x := Pool{
			Units: max(p.use.most(), p.widest, 1), Started: p.use.started, Unit: p.unit, Jobs: p.jobs, By: by, Party: m.poolName(n), Number: n,
		}
		if n == noPool {
			x.By, x.Party = "", "others"
		}
		plain := strings.NewReplacer(".", "-", ",", "-", "*", "-", "=", "-").Replace(x.Party)
		x.Name = text.Distinct(cmp.Or(plain, x.By+strconv.Itoa(n)), seen)
		m.Pools = append(m.Pools, x)
	}
}

// poolName returns the name of the partition of a pool.
func (m *importer) poolName(n int) string {
	switch table := m.partitions(); {
	case n == noPool:
		return ""
	case m.Format != workload.SWF:
		return m.name(table, n)
	case m.options.Anonymize:
		return table.letter + strconv.Itoa(n)
	}
	return m.traceNames[n]
}

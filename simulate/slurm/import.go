package slurm

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"io"
	"maps"
	"math"
	"slices"
	"strconv"
	"time"

	"revopt/internal/text"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

// ImportOptions say how a log becomes a trace. The zero value imports all jobs
// by processors, with times in UTC, and takes the format from the first line.
type ImportOptions struct {
	Format    workload.LogFormat
	Partition string         // only jobs of this one; for PBS, of this queue
	Units     *Units         // the width of a job; nil is its processors
	Zone      *time.Location // of times without a zone
	Anonymize bool           // replace names by u1, g1, a1, q1, p1 in order of appearance
	Nodes     int            // size of the machine; 0 is the most that was busy at a time
	Columns   Columns        // of a table; its column pool divides the jobs into pools
	Pools     PoolRule

	// Eligible counts a job as submitted when it could run: after holds, start
	// times asked for and dependencies. Jobs that never could are left out.
	Eligible bool
	Runs     bool // every run of a job that was requeued counts as a job
}

// Imported is a log as records of a trace, sorted by submission.
type Imported struct {
	ImportFacts
	Format workload.LogFormat
	Header workload.Header
	Nodes  int // busy at a time, at most; 0 if the log does not say

	options ImportOptions
	kept    []*event // by submission
	base    float64  // unix time of the first submission
	unit    string   // that widths count
	plain   bool     // the numbers of the log serve as numbers of the trace
	number  float64
}

// ImportFacts describe an import.
type ImportFacts struct {
	Lines    int64 // of the log
	Jobs     int64 // written
	Procs    int   // at a time, at most
	Counts   []ImportCount
	Warnings []Warning // why the trace may mislead
	Pools    []Pool
}

// Next implements workload.Records.
func (m *Imported) Next(r *workload.Record) (bool, error) {
	if int(m.number) == len(m.kept) {
		return false, nil
	}
	*r = *m.kept[int(m.number)].record()
	m.number++
	if m.Format != workload.SWF {
		r[workload.SubmitTime] -= m.base
	}
	if !m.plain {
		r[workload.JobNumber] = m.number
	}
	if m.options.Anonymize {
		r[workload.Preceding], r[workload.ThinkTime] = -1, -1
	}
	return true, nil
}

// event is a record of a log: the record of a trace, with times in Unix seconds,
// and the numbers by which events are grouped and sorted.
type event [eventFields]float64

const (
	eventPlace = len(workload.Record{}) + iota // line of the log
	eventLast                                  // 1 if the number is that of an array, which its last task has
	eventKey                                   // hash of the identity of the job
	eventKind                                  // 0 is a job, else a mark
	eventFates                                 // fateSet
	eventNodes
	eventPool
	eventGPUs
	eventAskedGPUs
	eventComponent // of a heterogeneous job, from 1; 0 of others
	eventFields
)

// The kinds of marks. A mark is a line about a job that is recorded elsewhere.
const (
	markStep = 1 + iota
	markQueued
	markStarted
	markDeleted
)

// sortEvents sorts events by some of their numbers, the first of which weighs most.
func sortEvents(events []*event, keys ...int) {
	slices.SortFunc(events, func(a, b *event) int {
		for _, k := range keys {
			if a[k] != b[k] {
				return cmp.Compare(a[k], b[k])
			}
		}
		return 0
	})
}

func (e *event) record() *workload.Record { return (*workload.Record)(e[:eventPlace]) }
func (e *event) fates() fateSet           { return fateSet(e[eventFates]) }

// importer turns lines into events.
type importer struct {
	*Imported
	ctx     context.Context
	lines   *workload.Lines
	events  []*event
	changes []change // of the busy processors and nodes
	names   [partyCount]nameTable
	seed    maphash.Seed
	units   *Units
	stated  [resourceCount]bool // by a job that is kept
	perNode map[int]int64       // jobs by processors per node
	first   *workload.Error     // the first line that cannot be read
	rows    int64               // lines of jobs, of their steps and further headers
	clock   clock
	last    []byte // the job of the line before
	key     []byte // for hash

	rule       PoolRule // the one that is chosen
	pools      map[int]*Pool
	home       map[int]int    // the pool of a partition that has none of its own
	poolUnits  map[int]string // of the header of a trace
	traceNames map[int]string // of the partitions of a trace
	numbered   bool           // these are their numbers: its header names none
	held       bool           // some job holds GPUs
	started    int64          // jobs that are kept, ran and have a start
}

// Import reads a log to its end; file is its name in messages. It sorts the records in
// memory, by job and then by submission, so the log must fit into memory. A requeue
// makes several records of one job: the one submitted last counts, as in the output of
// sacct without --duplicates. A line that cannot be read is left out and counted. If
// more than a tenth of the lines cannot be read, the first of them is the error. Errors
// about the log are a *workload.Error.
func Import(ctx context.Context, file string, in io.Reader, options ImportOptions) (*Imported, error) {
	lines, err := workload.NewLines(file, in, conf.MaxLine)
	if err != nil {
		return nil, err
	}
	m := &importer{
		Imported: &Imported{
			ImportFacts: ImportFacts{Counts: slices.Clone(fates[:]), Warnings: []Warning{}, Pools: []Pool{}},
			Format:      options.Format, options: options, plain: true, base: math.Inf(1),
		},
		ctx: ctx, lines: lines, names: newNameTables(), seed: maphash.MakeSeed(),
		units:   cmp.Or(options.Units, new(Units)),
		perNode: map[int]int64{}, clock: clock{zone: cmp.Or(options.Zone, time.UTC), stated: options.Zone != nil},
	}
	m.unit = m.units.Word()
	if options.Pools != "" {
		m.pools = map[int]*Pool{}
	}
	if err := m.run(); err != nil {
		return nil, err
	}
	return m.Imported, nil
}

func (m *importer) run() error {
	first, err := m.lines.Peek()
	if err != nil {
		return err
	}
	if first == nil {
		return m.lines.Errorf("expected a log of jobs, got an empty file")
	}
	switch {
	case m.Format == workload.CSV && m.options.Columns == nil:
		m.lines.Line = 1
		return m.lines.Errorf("expected the names of columns, %s", columnsOf(string(first)))
	case m.Format != "":
	case m.options.Columns != nil:
		m.Format = workload.CSV
	default:
		if err := NotLog(m.lines); err != nil {
			return err
		}
		m.Format = cmp.Or(workload.GuessFormat(first), workload.SWF)
	}
	switch m.Format {
	case workload.Sacct:
		err = m.readSacct()
	case workload.PBS:
		err = m.each(m.pbsLine)
	case workload.SWF:
		err = m.readTrace()
	case workload.CSV:
		err = m.readTable()
	default:
		err = fmt.Errorf("slurm: unknown format %q", m.Format)
	}
	if err != nil {
		return err
	}
	m.Lines = int64(m.lines.Line)
	if m.Counts[unreadable].N*10 > m.rows-m.Counts[steps].N-m.Counts[headings].N {
		return m.first
	}
	for _, step := range []func() error{m.settle, m.peak, m.check} {
		if err := step(); err != nil {
			return err
		}
	}
	m.report()
	sortEvents(m.kept, workload.SubmitTime, eventLast, workload.JobNumber, eventPlace)
	return nil
}

// next returns the next line, nil after the last.
func (m *importer) next() ([]byte, error) {
	line, err := m.lines.Next()
	if m.lines.Line&0xfff == 0 && err == nil {
		err = m.ctx.Err()
	}
	return line, err
}

// each reads the log line by line, without empty lines.
func (m *importer) each(read func(line []byte) error) error {
	for {
		line, err := m.next()
		if line == nil || err != nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		m.rows++
		if err := read(line); err != nil {
			return err
		}
	}
}

// count counts a line or a job.
func (m *importer) count(f fate) { m.Counts[f].N++ }

// refuse counts a line that cannot be read. A last line without its end was cut.
func (m *importer) refuse(why string) {
	if m.lines.Cut {
		m.count(cutLine)
		return
	}
	m.count(unreadable)
	if m.first == nil {
		m.first = m.lines.Errorf("%s", why)
	}
}

// take adds a job unless there is a reason why its line cannot be read.
func (m *importer) take(j *logJob, why string) error {
	if why != "" {
		m.refuse(why)
		return nil
	}
	return m.add(j)
}

// hash identifies a job within 53 bits.
func (m *importer) hash(id, owner []byte) float64 {
	m.key = append(append(append(m.key[:0], id...), 0), owner...)
	return float64(maphash.Bytes(m.seed, m.key) >> 11)
}

// mark notes a line about a job that is recorded elsewhere.
func (m *importer) mark(kind int, number float64, id, owner []byte) {
	m.events = append(m.events, &event{
		workload.JobNumber: number, eventKey: m.hash(id, owner),
		eventPlace: float64(m.lines.Line), eventKind: float64(kind),
	})
}

// readTrace reads a trace. Its numbers stay, unless they are to be anonymous.
func (m *importer) readTrace() error {
	r, err := m.lines.Trace()
	if err != nil {
		return err
	}
	r.Unsorted, r.Context = true, m.ctx
	m.unit, m.poolUnits, m.traceNames = r.Header.Unit(), r.Header.PoolUnits(), map[int]string{}
	partition, numbers, pools := m.options.Partition, r.Header.Names()["partition"], map[int]int{}
	m.numbered = len(numbers) == 0 && m.options.Pools == PerPartition
	only, notNumber := strconv.Atoi(partition)
	for _, name := range slices.Sorted(maps.Keys(numbers)) {
		first, n := m.firstOf(name), numbers[name]
		if _, ok := numbers[first]; !ok {
			numbers[first] = n
		}
		pools[n] = numbers[first]
		m.traceNames[pools[n]] = first
	}
	if _, ok := numbers[partition]; ok {
		only = numbers[partition]
	} else if notNumber != nil && partition != "" {
		return &workload.SelectorError{
			File: m.lines.File, Customer: "--partition", What: "partition", Name: partition,
		}
	}
	for {
		var e event
		if ok, err := r.Next(e.record()); err != nil {
			return err
		} else if !ok {
			break
		}
		e[eventPlace], e[eventKey], e[eventPool] = float64(m.lines.Line), float64(m.lines.Line), -1
		pool, named := pools[int(e[workload.Partition])]
		if n := int(e[workload.Partition]); m.numbered && n >= 0 {
			pool, named = n, true
			m.traceNames[n] = strconv.Itoa(n)
		}
		if named {
			e[eventPool] = float64(pool)
		}
		if partition != "" && pool != only && int(e[workload.Partition]) != only {
			e[eventFates] = float64(fateSet(1) << elsewhere)
		}
		if m.options.Anonymize {
			m.hide(&e, named)
		}
		if m.pools != nil && e.fates()&omissions == 0 {
			m.inPool(int(e[eventPool]), false, false)
		}
		m.events = append(m.events, &e)
	}
	m.traceHeader(&r.Header)
	return nil
}

// hide gives the parties of a record of a trace new numbers, in order of appearance.
func (m *importer) hide(e *event, named bool) {
	if named {
		e[workload.Partition] = e[eventPool]
	}
	for i, field := range partyField {
		if e[field] >= 0 {
			e[field] = m.names[i].number(strconv.AppendInt(nil, int64(e[field]), 10))
		}
	}
}

// fieldReader reads values of a line by their keys. It remembers the first that is wrong.
type fieldReader struct {
	get   func(key string) []byte
	clock *clock
	time  string                  // how times are written
	name  func(key string) string // in messages; nil is the key
	why   string
}

// fail notes that a value is not as expected.
func (r *fieldReader) fail(key, want string) {
	if r.why != "" {
		return
	}
	name := key
	if r.name != nil {
		name = r.name(key)
	}
	r.why = fmt.Sprintf("%s: expected %s, got %s", name, want, text.Quote(r.get(key)))
}

// when returns a time, 0 if it is unknown.
func (r *fieldReader) when(key string) int64 {
	x, ok := r.clock.parse(r.get(key))
	if !ok {
		r.fail(key, r.time)
	}
	return x
}

// whole returns a whole number, 0 if it is unknown.
func (r *fieldReader) whole(key string) float64 {
	n, ok := parseCount(r.get(key))
	if !ok {
		r.fail(key, "a whole number")
	}
	return n
}

// span returns a length of time in seconds, -1 if it is unlimited or unknown.
func (r *fieldReader) span(key string, unit int64, want string) float64 {
	x, ok := parseSpan(r.get(key), unit)
	if !ok {
		r.fail(key, want)
	}
	return x
}

// parseCount reads a whole number from 0 to MaxNodes, 0 if it is unknown.
func parseCount(word []byte) (float64, bool) {
	if unknown(word) {
		return 0, true
	}
	x, ok := parseAmount(string(word)) // 4K nodes are 4096
	if !ok || x != math.Trunc(x) || x > workload.MaxNodes {
		return 0, false
	}
	return x, true
}

// plainNumber returns the number that an identity is, -1 if it is none.
func plainNumber(id []byte) float64 {
	n, err := strconv.ParseUint(string(id), 10, 53)
	if err != nil {
		return -1
	}
	return float64(n)
}

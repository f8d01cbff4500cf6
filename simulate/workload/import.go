package workload

import (
	"bufio"
	"bytes"
	"cmp"
	"compress/gzip"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"revopt/internal/text"
)

// LogFormat is the format of a log of jobs.
type LogFormat string

// The formats that can be imported.
const (
	Sacct   LogFormat = "sacct"   // sacct --parsable2 of Slurm
	Jobcomp LogFormat = "jobcomp" // the plugin jobcomp/filetxt of Slurm
	PBS     LogFormat = "pbs"     // accounting logs of PBS and Torque
	SWF     LogFormat = "swf"     // a trace, perhaps out of order
)

// LogFormats returns the formats that can be imported.
func LogFormats() []LogFormat { return []LogFormat{Sacct, PBS, Jobcomp, SWF} }

// ImportOptions say how a log becomes a trace. The zero value imports all jobs
// by processors, of a log whose format its first line shows, with times in UTC.
type ImportOptions struct {
	Format    LogFormat
	Partition string         // only jobs of this one; of PBS, of this queue
	ByNodes   bool           // the width of a job is its nodes, not its processors
	Zone      *time.Location // of times without a zone
	Anonymize bool           // replace names by u1, g1, a1, q1, p1 in order of appearance
	Nodes     int            // size of the machine; 0 is the most that was busy at a time

	// Eligible counts a job as submitted when it could run: after holds, start
	// times asked for and dependencies. Jobs that never could are left out.
	Eligible bool
}

// Imported is a log as records of a trace, sorted by submission. It holds
// temporary files until Close.
type Imported struct {
	Format   LogFormat
	Header   Header
	Lines    int64 // of the log
	Jobs     int64 // written
	Counts   []ImportCount
	Warnings []ImportWarning
	Procs    int // busy at a time, at most
	Nodes    int // likewise, 0 where the log does not say

	options ImportOptions
	sorted  spool[event]
	base    float64 // unix time of the first submission
	plain   bool    // the numbers of the log serve as numbers of the trace
	number  float64
}

// ImportCount is how many lines or jobs met a fate.
type ImportCount struct {
	Name string `json:"name"`
	Fate string `json:"fate"` // kept, repaired or left out
	N    int64  `json:"count"`
	Text string `json:"text"`
}

// ImportWarning is a reason for which the trace may mislead.
type ImportWarning struct {
	Kind string `json:"kind"`
	Text string `json:"text"`
}

// fate is what happened to a line or job of a log: an index of fates.
type fate uint

// The fates. Up to lastOmission the job is left out.
const (
	superseded fate = iota
	orphaned
	waiting
	running
	endless
	reversed
	longer
	elsewhere
	ineligible
	bare
	family
	cutLine
	unreadable
	lastOmission = unreadable

	steps fate = iota - 1
	headings
	others
	joined
	ranFor
	hourOff
	sinceStart
	early
	neverStarted
	empty
	strange
	unlimited
	dependent
	held
	released
	tasks
	accelerated
	widthless
	reused
	fateCount
)

// fates names the fates.
var fates = [fateCount]ImportCount{
	superseded:   {"superseded", "left out", 0, "earlier records of jobs requeued, resized or listed twice"},
	orphaned:     {"steps_without_job", "left out", 0, "jobs of which only steps are listed"},
	waiting:      {"waiting", "left out", 0, "jobs still waiting"},
	running:      {"running", "left out", 0, "jobs still running"},
	endless:      {"no_end", "left out", 0, "jobs without an end or a length"},
	reversed:     {"end_before_start", "left out", 0, "jobs that end before they start"},
	longer:       {"too_long", "left out", 0, "jobs of more than a year: their end was lost"},
	elsewhere:    {"other_partitions", "left out", 0, "jobs of other partitions"},
	ineligible:   {"never_eligible", "left out", 0, "jobs that were canceled before they could run"},
	bare:         {"no_width", "left out", 0, "jobs that never started, of unknown width"},
	family:       {"array_parents", "left out", 0, "records of whole arrays beside their tasks"},
	cutLine:      {"cut", "left out", 0, "last line cut short"},
	unreadable:   {"unreadable", "left out", 0, "lines that cannot be read"},
	steps:        {"steps", "merged", 0, "lines of steps, part of their jobs"},
	headings:     {"headers", "merged", 0, "further header lines"},
	others:       {"other_records", "merged", 0, "records of other kinds"},
	joined:       {"delimiter_in_text", "repaired", 0, "lines with a delimiter within a text"},
	ranFor:       {"clock_backwards", "repaired", 0, "jobs that end before they start: length by the time elapsed"},
	hourOff:      {"clock_change", "repaired", 0, "jobs an hour off their time elapsed, which is taken"},
	sinceStart:   {"end_from_elapsed", "repaired", 0, "jobs without an end: start and time elapsed"},
	early:        {"start_before_submit", "repaired", 0, "jobs that start before they are submitted: no wait"},
	neverStarted: {"never_started", "kept", 0, "jobs that never started: without a run time"},
	empty:        {"zero_length", "kept", 0, "jobs of 0 s"},
	strange:      {"unknown_state", "kept", 0, "jobs in an unknown state"},
	unlimited:    {"no_limit", "kept", 0, "jobs without a time limit"},
	dependent:    {"dependencies", "kept", 0, "jobs that depend on others, which is ignored"},
	held:         {"eligible_later", "kept", 0, "jobs eligible after their submission: the wait counts from submission"},
	released:     {"from_eligible", "kept", 0, "jobs eligible after their submission: the wait counts from then"},
	tasks:        {"array_ranges", "kept", 0, "ranges of array tasks that never started, each as one job"},
	accelerated:  {"accelerators", "kept", 0, "jobs with accelerators, which are ignored"},
	widthless:    {"unknown_width", "kept", 0, "jobs that ran on unknown processors"},
	reused:       {"numbers_reused", "kept", 0, "jobs with the number of another: all are numbered anew"},
}

func (f fate) bit() uint64 { return 1 << f }

const omission = 1<<(lastOmission+1) - 1

// event is a record of a log: that of a trace, with times in Unix seconds, and
// what it takes to find its place.
type event [eventFields]float64

const (
	eventKey   = fieldCount + 1 + iota // hash of whatever identifies the job
	eventPlace                         // in the log
	eventKind                          // 0 is a job, else a mark
	eventFates                         // bits
	eventNodes
	eventLast // 1 where the number is that of the array, whose last task keeps it
	eventFields
)

// The kinds of marks: lines that say something of a job recorded elsewhere.
const (
	markStep = 1 + iota
	markQueued
	markStarted
	markDeleted
)

func (e *event) record() *Record { return (*Record)(e[:fieldCount+1]) }

// span is when a job ran, on how many processors and nodes.
type span [4]float64

// logJob is a job as a log has it. Times are Unix seconds, 0 where unknown.
type logJob struct {
	id, owner                              []byte // both identify the job
	number                                 int64  // -1 where the log has none
	submit, eligible, start, end           int64
	elapsed                                int64   // s, -1 where unknown
	limit                                  float64 // s, -1 where unknown or none
	alloc, asked, nodes, askedNodes        int     // 0 where unknown
	state                                  jobState
	never                                  bool // no resources were ever allocated
	barred                                 bool // the log says that it was not eligible yet
	last                                   bool // tasks of its array, under the number of the array
	user, group, queue, partition, account []byte
	fates                                  uint64 // so far
}

// jobState is how far a job came, and how it ended.
type jobState uint8

const (
	stateUnknown jobState = iota
	stateDone
	stateFailed
	stateCanceled
	stateRequeued
	stateOpen // waiting or running
)

// status returns the code of the format.
func (s jobState) status() float64 { return [...]float64{-1, 1, 0, 5, 0, -1}[s] }

// parties are the names of users, groups, queues, partitions or accounts, by
// number from 1.
type parties struct {
	key, letter string
	numbers     map[string]int32
	names       []string
	jobs        []int64 // written, by number
}

// number returns the number of a name, -1 where it is empty.
func (p *parties) number(name []byte) float64 {
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

// clean returns the number of a name that was not seen before, as it can stand
// in a header: without control characters, of at most 200 characters.
func (p *parties) clean(name string) int32 {
	const most = 200
	tidy := []rune(strings.Join(strings.FieldsFunc(strings.ToValidUTF8(name, "?"), func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) }), " "))
	if len(tidy) == 0 {
		return -1
	}
	short := string(tidy[:min(len(tidy), most)])
	if n, ok := p.numbers[short]; ok {
		return n
	}
	p.names = append(p.names, short)
	n := int32(len(p.names))
	p.numbers[short] = n
	return n
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

var partyField = [partyCount]int{Executable, Partition, Queue, Group, User}

// importer turns lines into events.
type importer struct {
	*Imported
	ctx     context.Context
	lines   *lineReader
	events  spool[event]
	spans   spool[span]
	parties [partyCount]parties
	seed    maphash.Seed
	counts  [fateCount]int64
	perNode map[int]int64 // jobs by processors per node
	first   *Error        // the first line that cannot be read
	rows    int64         // lines that should be of a job
	clock   clock
	last    []byte // the job of the line before
}

// ImportLog reads a log to its end; file is its name in messages. Memory is
// bounded whatever the length of the log: records are sorted by job and then by
// submission in temporary files. Of several records of one job, as a requeue
// makes them, the one submitted last counts, as in the output of sacct without
// --duplicates. A line that cannot be read is left out and counted; where they
// are more than a tenth the first of them is the error. Errors about the log are
// an *Error.
func ImportLog(ctx context.Context, file string, in io.Reader, options ImportOptions) (*Imported, error) {
	lines, err := newLineReader(file, in)
	if err != nil {
		return nil, err
	}
	m := &importer{
		Imported: &Imported{Format: options.Format, options: options, plain: true, base: math.Inf(1)},
		ctx:      ctx, lines: lines, seed: maphash.MakeSeed(), perNode: map[int]int64{}, clock: clock{zone: cmp.Or(options.Zone, time.UTC)},
	}
	for i, p := range [partyCount]parties{{key: "Account", letter: "a"}, {key: "Partition", letter: "p"}, {key: "Queue", letter: "q"}, {key: "Group", letter: "g"}, {key: "User", letter: "u"}} {
		p.numbers = map[string]int32{}
		m.parties[i] = p
	}
	m.events = spool[event]{words: eventWords, compare: compareEvents(JobNumber, eventKey, eventPlace)}
	m.sorted = spool[event]{words: eventWords, compare: compareEvents(SubmitTime, eventLast, JobNumber, eventPlace)}
	m.spans = spool[span]{words: func(s *span) []float64 { return s[:] }, compare: func(a, b *span) int { return cmp.Compare(a[0], b[0]) }}
	err = m.run()
	err = errors.Join(err, m.events.close(), m.spans.close())
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m.Imported, nil
}

func eventWords(e *event) []float64 { return e[:] }

func compareEvents(fields ...int) func(a, b *event) int {
	return func(a, b *event) int {
		for _, f := range fields {
			if a[f] != b[f] {
				return cmp.Compare(a[f], b[f])
			}
		}
		return 0
	}
}

// run reads the log and makes the header.
func (m *importer) run() error {
	first, err := m.lines.peek()
	if err != nil {
		return err
	}
	if m.Format == "" {
		if m.Format = guessFormat(first); m.Format == "" {
			return m.lines.errorf("expected a log of jobs, of the format %s: its first line shows none of them", formatNames())
		}
	}
	switch m.Format {
	case Sacct:
		err = m.readSacct()
	case Jobcomp:
		err = m.readJobcomp()
	case PBS:
		err = m.readPBS()
	case SWF:
		err = m.readTrace()
	default:
		err = fmt.Errorf("workload: unknown format %q, expected %s", m.Format, formatNames())
	}
	if err != nil {
		return err
	}
	m.Lines = int64(m.lines.line)
	if m.counts[unreadable]*10 > m.rows {
		return m.first
	}
	for _, step := range []func() error{m.settle, m.sorted.finish, m.peak, m.check} {
		if err := step(); err != nil {
			return err
		}
	}
	m.report()
	return nil
}

func formatNames() string {
	var names []string
	for _, f := range LogFormats() {
		names = append(names, string(f))
	}
	return strings.Join(names[:len(names)-1], ", ") + " or " + names[len(names)-1]
}

// guessFormat returns the format of which a line looks like the first, "" where
// it is none.
func guessFormat(line []byte) LogFormat {
	s := strings.TrimPrefix(string(line[:min(len(line), 1<<12)]), "\ufeff")
	date, rest, _ := strings.Cut(s, ";")
	fields := strings.Fields(s)
	_, err := strconv.ParseFloat(append(fields, "")[0], 64)
	columns := strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return strings.ContainsRune("|;,\t\r", r) })
	switch {
	case strings.HasPrefix(s, "JobId="):
		return Jobcomp
	case strings.Count(date, "/") == 2 && strings.Count(date, ":") == 2 && len(rest) > 1 && rest[1] == ';':
		return PBS
	case strings.HasPrefix(s, ";"), len(fields) == fieldCount && err == nil:
		return SWF
	case slices.Contains(columns, "jobid"), slices.Contains(columns, "jobidraw"), strings.Count(s, "|") > 2:
		return Sacct
	}
	return ""
}

// count counts a line that is no job.
func (m *importer) count(f fate) { m.counts[f]++ }

// each reads the log line by line, without those that are empty.
func (m *importer) each(read func(line []byte) error) error {
	for {
		line, err := m.lines.next()
		if line == nil || err != nil {
			return err
		}
		if m.lines.line&0xfff == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		if err := read(line); err != nil {
			return err
		}
	}
}

// refuse counts a line that cannot be read. A last line without its end was cut.
func (m *importer) refuse(format string, args ...any) {
	if m.lines.cut {
		m.count(cutLine)
		return
	}
	m.count(unreadable)
	if m.first == nil {
		m.first = m.lines.errorf(format, args...)
	}
}

// hash identifies a job within 53 bits.
func (m *importer) hash(id, owner []byte) float64 {
	var h maphash.Hash
	h.SetSeed(m.seed)
	h.Write(id)
	h.WriteByte(0)
	h.Write(owner)
	return float64(h.Sum64() >> 11)
}

// mark notes a line about a job that is recorded elsewhere.
func (m *importer) mark(kind int, number float64, id, owner []byte) error {
	e := event{JobNumber: number, eventKey: m.hash(id, owner), eventPlace: float64(m.lines.line), eventKind: float64(kind)}
	return m.events.add(&e)
}

// plainNumber returns the number that an identity is, -1 where it is none.
func plainNumber(id []byte) float64 {
	n, err := strconv.ParseUint(string(id), 10, 53)
	if err != nil {
		return -1
	}
	return float64(n)
}

// year is the longest time that a job can run.
const year = 366 * 86400

// add takes a job.
func (m *importer) add(j *logJob) error {
	alloc, asked := j.alloc, cmp.Or(j.asked, j.alloc)
	nodes := cmp.Or(j.nodes, j.askedNodes)
	if m.options.ByNodes {
		alloc, asked = j.nodes, cmp.Or(j.askedNodes, j.nodes)
	}
	bits := j.fates
	submit := cmp.Or(j.submit, j.eligible)
	switch later := j.eligible > submit; {
	case later && !m.options.Eligible:
		bits |= held.bit()
	case !m.options.Eligible:
	case j.barred && (j.start == 0 || j.never), later && j.end > 0 && j.eligible > j.end:
		bits |= ineligible.bit()
	case later && (j.start == 0 || j.eligible <= j.start):
		submit = j.eligible
		bits |= released.bit()
	}
	if j.start == 0 && j.end > 0 && j.elapsed > 0 && !j.never {
		j.start = j.end - j.elapsed
	}
	run, wait := int64(-1), int64(-1)
	switch start := m.clock.after(j.start, submit); {
	case (start == 0 || j.never) && j.elapsed > 0 && j.state != stateOpen: // neither start nor end is listed
		run = j.elapsed
	case start == 0 || j.never:
		if j.state == stateOpen || j.end == 0 && j.state != stateCanceled && j.state != stateFailed {
			bits |= waiting.bit()
		} else {
			bits |= neverStarted.bit()
			alloc = 0
			if j.end >= submit {
				wait = j.end - submit
			}
		}
		if asked == 0 {
			bits |= bare.bit()
		}
	default:
		if wait = start - submit; wait < 0 {
			wait = 0
			bits |= early.bit()
		}
		end := m.clock.after(j.end, start)
		switch run = end - start; {
		case end == 0 && j.state == stateOpen:
			bits |= running.bit()
		case end == 0 && j.elapsed > 0:
			run = j.elapsed
			bits |= sinceStart.bit()
		case end == 0:
			bits |= endless.bit()
		case run < 0 && j.elapsed >= 0:
			run = j.elapsed
			bits |= ranFor.bit()
		case run < 0:
			bits |= reversed.bit()
		case j.elapsed >= 0 && (run-j.elapsed == 3600 || j.elapsed-run == 3600):
			run = j.elapsed
			bits |= hourOff.bit()
		}
		switch {
		case run > year:
			bits |= longer.bit()
		case run == 0:
			bits |= empty.bit()
		}
		if alloc == 0 && asked == 0 {
			bits |= widthless.bit()
		}
	}
	if m.options.Partition != "" && !listed(cmp.Or(string(j.partition), string(j.queue)), m.options.Partition) {
		bits |= elsewhere.bit()
	}
	if j.state == stateUnknown {
		bits |= strange.bit()
	}
	if j.limit < 0 {
		bits |= unlimited.bit()
	}
	if j.nodes > 0 && j.alloc > 0 && bits&(omission|neverStarted.bit()) == 0 {
		m.perNode[j.alloc/j.nodes]++
	}
	known := func(n int) float64 { return float64(cmp.Or(n, -1)) }
	e := event{
		JobNumber: float64(j.number), SubmitTime: float64(submit), WaitTime: float64(wait), RunTime: float64(run), Allocated: known(alloc), Requested: known(asked),
		CPUTime: -1, UsedMemory: -1, RequestedTime: j.limit, RequestedMemory: -1, Status: j.state.status(), Preceding: -1, ThinkTime: -1,
		eventKey: m.hash(j.id, j.owner), eventPlace: float64(m.lines.line), eventFates: float64(bits), eventNodes: float64(nodes),
	}
	if j.last {
		e[eventLast] = 1
	}
	for i, name := range [partyCount][]byte{j.account, j.partition, j.queue, j.group, j.user} {
		e[partyField[i]] = m.parties[i].number(name)
	}
	return m.events.add(&e)
}

// listed reports whether a name is in a list with commas.
func listed(list, name string) bool {
	if list == name {
		return true
	}
	return strings.Contains(list, ",") && slices.Contains(strings.Split(list, ","), name)
}

// settle brings the events of each job together, in the order of their numbers.
func (m *importer) settle() error {
	if err := m.events.finish(); err != nil {
		return err
	}
	var e event
	var group jobGroup
	last := event{JobNumber: -1}
	for n := 0; ; n++ {
		if n&0xfff == 0 && m.ctx.Err() != nil {
			return m.ctx.Err()
		}
		ok, err := m.events.next(&e)
		if err != nil {
			return err
		}
		if !ok || e[eventKey] != group.key || e[JobNumber] != group.best[JobNumber] {
			if group.seen {
				if err := m.decide(&group, &last); err != nil {
					return err
				}
			}
			group = jobGroup{seen: true, key: e[eventKey], best: event{JobNumber: e[JobNumber]}}
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

func (g *jobGroup) take(e *event) {
	if kind := int(e[eventKind]); kind > 0 {
		g.marked[kind] = true
		return
	}
	open := func(e *event) bool { return uint64(e[eventFates])&(waiting.bit()|running.bit()) != 0 }
	g.records++
	switch {
	case g.records == 1:
	case e[SubmitTime] < g.best[SubmitTime], e[SubmitTime] == g.best[SubmitTime] && open(e) && !open(&g.best):
		return
	}
	g.best = *e
}

// decide counts what becomes of a job, and keeps it where it is to be kept. last
// is the job kept before.
func (m *importer) decide(g *jobGroup, last *event) error {
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
		return nil
	}
	m.counts[superseded] += g.records - 1
	bits := uint64(e[eventFates])
	if bits&omission != 0 {
		for f := range lastOmission + 1 {
			if bits&f.bit() != 0 {
				m.count(f)
				return nil // for the first reason
			}
		}
	}
	for f := lastOmission + 1; f < fateCount; f++ {
		if bits&f.bit() != 0 {
			m.count(f)
		}
	}
	switch n := e[JobNumber]; {
	case n < 0:
		m.plain = false
	case n == last[JobNumber] && m.Format != SWF:
		m.plain = false
		m.count(reused)
	}
	*last = *e
	m.Jobs++
	m.base = min(m.base, e[SubmitTime])
	for i := range m.parties {
		p := &m.parties[i]
		if n := int(e[partyField[i]]); n > 0 && n <= len(p.names) {
			p.jobs = append(p.jobs, make([]int64, max(len(p.names)+1-len(p.jobs), 0))...)
			p.jobs[n]++
		}
	}
	if e[RunTime] > 0 {
		width := e[Allocated]
		if width <= 0 {
			width = max(e[Requested], 0)
		}
		m.Procs = max(m.Procs, int(width)) // where waits are unknown
		if start := e[SubmitTime] + e[WaitTime]; e[WaitTime] >= 0 {
			if err := m.spans.add(&span{start, start + e[RunTime], width, e[eventNodes]}); err != nil {
				return err
			}
		}
	}
	return m.sorted.add(e)
}

// busyHeap is the spans of running jobs by their ends.
type busyHeap []span

func (h busyHeap) Len() int           { return len(h) }
func (h busyHeap) Less(i, j int) bool { return h[i][1] < h[j][1] }
func (h busyHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *busyHeap) Push(x any)        { *h = append(*h, x.(span)) }
func (h *busyHeap) Pop() any {
	last := (*h)[len(*h)-1]
	*h = (*h)[:len(*h)-1]
	return last
}

// peak finds the most processors and nodes that were busy at a time. A job that
// ends in the second in which another starts has left by then.
func (m *importer) peak() error {
	if err := m.spans.finish(); err != nil {
		return err
	}
	var busy busyHeap
	var s span
	procs, nodes := 0.0, 0.0
	for {
		ok, err := m.spans.next(&s)
		if !ok || err != nil {
			return err
		}
		for len(busy) > 0 && busy[0][1] <= s[0] {
			procs, nodes = procs-busy[0][2], nodes-busy[0][3]
			heap.Pop(&busy)
		}
		heap.Push(&busy, s)
		procs, nodes = procs+s[2], nodes+s[3]
		m.Procs, m.Nodes = max(m.Procs, int(procs)), max(m.Nodes, int(nodes))
	}
}

// check refuses a log without jobs.
func (m *importer) check() error {
	if m.Jobs > 0 {
		return nil
	}
	e := &Error{File: m.lines.file, Message: "expected jobs that have ended, got none"}
	if name := m.options.Partition; name != "" && m.counts[elsewhere] > 0 {
		e.Message = fmt.Sprintf("expected jobs of partition %q, got none that ended; the log has %s", name, m.partitionNames(func(n int) bool { return true }))
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

// partitionParty returns the party that divides the machine.
func (m *importer) partitionParty() *parties {
	if m.Format == PBS {
		return &m.parties[partyQueue]
	}
	return &m.parties[partyPartition]
}

// partitionNames lists the partitions that are to be named.
func (m *importer) partitionNames(named func(n int) bool) string {
	p, list := m.partitionParty(), []string(nil)
	for i := range p.names {
		if named(i + 1) {
			list = append(list, m.name(p, i+1))
		}
	}
	if len(list) > 8 {
		list = append(list[:8], "...")
	}
	return strings.Join(list, ", ")
}

func (m *importer) name(p *parties, n int) string {
	if m.options.Anonymize {
		return p.letter + strconv.Itoa(n)
	}
	return p.names[n-1]
}

// report makes the header, the counts and the warnings.
func (m *importer) report() {
	m.plain = (m.plain || m.Format == SWF) && !m.options.Anonymize
	if m.Format != SWF {
		m.header()
	}
	for f, n := range m.counts {
		if n > 0 {
			c := fates[f]
			c.N = n
			m.Counts = append(m.Counts, c)
		}
	}
	m.warn()
}

// header says what the numbers of the trace stand for.
func (m *importer) header() {
	zone := m.clock.zone
	start := time.Unix(int64(m.base), 0).In(zone)
	_, offset := start.Zone()
	procs, nodes := cmp.Or(m.options.Nodes, m.Procs), m.Nodes
	if m.options.ByNodes || nodes == 0 {
		nodes = procs
	}
	lines := []string{
		"; Version: 2.2", fmt.Sprintf("; MaxJobs: %d", m.Jobs), fmt.Sprintf("; MaxRecords: %d", m.Jobs),
		fmt.Sprintf("; UnixStartTime: %d", int64(m.base)), fmt.Sprintf("; TimeZone: %d", offset), "; TimeZoneString: " + zone.String(),
		"; StartTime: " + start.Format("Mon Jan _2 15:04:05 MST 2006"),
		fmt.Sprintf("; MaxNodes: %d", nodes), fmt.Sprintf("; MaxProcs: %d", max(procs, 1)),
	}
	if m.options.Nodes == 0 {
		lines = append(lines, "; Note: MaxProcs and MaxNodes are the most that were busy at a time; a node that jobs shared counts once for each")
	}
	if m.options.ByNodes {
		lines = append(lines, "; Note: processors are whole nodes")
	}
	lines = append(lines, "; Note: the executable is the account, the queue is the QOS or the queue")
	left := maxHeader * 3 / 4
	for i := range m.parties {
		p, missing := &m.parties[i], 0
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
			m.Warnings = append(m.Warnings, ImportWarning{"names", fmt.Sprintf("the names of %d %ss are left out: a header has at most %d bytes", missing, strings.ToLower(p.key), maxHeader)})
		}
	}
	m.Header.Lines = lines
}

// warn says where the trace may mislead.
func (m *importer) warn() {
	add := func(kind, format string, args ...any) {
		m.Warnings = append(m.Warnings, ImportWarning{kind, fmt.Sprintf(format, args...)})
	}
	p, used := m.partitionParty(), 0
	for _, jobs := range p.jobs {
		if jobs > 0 {
			used++
		}
	}
	if used > 1 && m.options.Partition == "" {
		add("partitions", "%d partitions as one machine (%s): where their nodes differ or are not shared, jobs seem to find room that they never had; import one at a time with --partition",
			used, m.partitionNames(func(n int) bool { return n < len(p.jobs) && p.jobs[n] > 0 }))
	}
	if m.clock.zoned > 0 && m.clock.unzoned > 0 {
		add("zones", "%d times have a zone and %d have none: these are taken as %s", m.clock.zoned, m.clock.unzoned, m.clock.zone)
	}
	if m.options.Zone == nil && m.counts[hourOff]+m.counts[ranFor] > 0 {
		add("clock", "the clock of the log was changed: say its zone with --time-zone")
	}
	if m.options.ByNodes {
		most, jobs, partly := 0, int64(0), int64(0)
		for size := range m.perNode {
			most = max(most, size)
		}
		for size, n := range m.perNode {
			if jobs += n; size < most {
				partly += n
			}
		}
		if partly > 0 {
			add("nodes", "%d of %d jobs had fewer than %d processors per node: counted by nodes they take whole ones, also where several shared one", partly, jobs, most)
		}
	}
	if nodes := m.options.Nodes; nodes > 0 && m.Procs > nodes {
		add("size", "%d processors were busy at a time, more than the %d stated", m.Procs, nodes)
	}
}

// Next implements Records.
func (m *Imported) Next(r *Record) (bool, error) {
	var e event
	if ok, err := m.sorted.next(&e); !ok || err != nil {
		return false, err
	}
	*r = *e.record()
	m.number++
	if m.Format != SWF {
		r[SubmitTime] -= m.base
	}
	if !m.plain {
		r[JobNumber] = m.number
	}
	if m.options.Anonymize {
		r[Preceding], r[ThinkTime] = -1, -1
	}
	return true, nil
}

// Close removes the temporary files.
func (m *Imported) Close() error { return m.sorted.close() }

// readTrace reads a trace. Its numbers stay as they are, unless they are to be
// anonymous.
func (m *importer) readTrace() error {
	r := &Reader{file: m.lines.file, in: m.lines.in, Unsorted: true, Context: m.ctx, gzip: m.lines.gzip}
	if err := r.readHeader(); err != nil {
		return err
	}
	only := -1
	if name := m.options.Partition; name != "" {
		n, ok := r.Header.names()["partition"][name]
		if !ok {
			var err error
			if n, err = strconv.Atoi(name); err != nil {
				return &SelectorError{File: r.file, Customer: "--partition", What: "partition", Name: name}
			}
		}
		only = n
	}
	for {
		var e event
		if ok, err := r.Next(e.record()); err != nil {
			return err
		} else if !ok {
			break
		}
		e[eventPlace], e[eventKey] = float64(r.line), float64(r.line)
		if only >= 0 && int(e[Partition]) != only {
			e[eventFates] = float64(elsewhere.bit())
		}
		if m.options.Anonymize {
			for i, field := range partyField {
				if e[field] >= 0 {
					e[field] = m.parties[i].number(strconv.AppendInt(nil, int64(e[field]), 10))
				}
			}
		}
		if err := m.events.add(&e); err != nil {
			return err
		}
	}
	m.lines.line, m.rows = r.line, int64(r.line)
	m.Header = m.traceHeader(&r.Header)
	return nil
}

// traceHeader returns the header of a trace, without names and other text where
// it is to be anonymous.
func (m *importer) traceHeader(h *Header) Header {
	if !m.options.Anonymize {
		return *h
	}
	var list []string
	names := h.names()
	for _, key := range []string{"Version", "UnixStartTime", "TimeZone", "MaxNodes", "MaxProcs"} {
		if value := h.Get(key); value != "" {
			list = append(list, "; "+key+": "+value)
		}
	}
	for i := range m.parties {
		p := &m.parties[i]
		if names[strings.ToLower(p.key)] == nil {
			continue
		}
		for n := range p.names {
			list = append(list, fmt.Sprintf("; %s: %d %s%d", p.key, n+1, p.letter, n+1))
		}
	}
	return Header{list}
}

// lineReader reads the lines of a log, plain or compressed by gzip.
type lineReader struct {
	file  string
	in    *bufio.Reader
	gzip  bool
	line  int
	cut   bool // the last line lacks its end
	begun bool
}

const maxLogLine = 1 << 20 // bytes

func newLineReader(file string, in io.Reader) (*lineReader, error) {
	l := &lineReader{file: file, in: bufio.NewReaderSize(in, maxLogLine)}
	magic, _ := l.in.Peek(2)
	if bytes.Equal(magic, []byte{0x1f, 0x8b}) {
		l.gzip = true
		z, err := gzip.NewReader(l.in)
		if err != nil {
			return nil, l.broken(err)
		}
		l.in = bufio.NewReaderSize(z, maxLogLine)
	}
	return l, nil
}

// peek returns the beginning of the first line.
func (l *lineReader) peek() ([]byte, error) {
	start, err := l.in.Peek(1 << 12)
	switch {
	case err != nil && err != io.EOF:
		return nil, l.broken(err)
	case len(bytes.TrimSpace(start)) == 0:
		l.line = 1
		return nil, l.errorf("expected a log of jobs, got an empty file")
	}
	line, _, _ := bytes.Cut(start, []byte("\n"))
	return line, nil
}

// next returns the next line without its end, nil after the last.
func (l *lineReader) next() ([]byte, error) {
	line, err := l.in.ReadSlice('\n')
	switch {
	case err == io.EOF && len(line) == 0:
		return nil, nil
	case err == nil || err == io.EOF:
		l.line++
		l.cut = err == io.EOF
	case err == bufio.ErrBufferFull:
		l.line++
		return nil, l.errorf("expected lines of at most %d bytes, got a longer one", maxLogLine)
	default:
		return nil, l.broken(err)
	}
	if !l.begun {
		l.begun = true
		line = bytes.TrimPrefix(line, []byte("\ufeff"))
	}
	return bytes.TrimRight(line, "\r\n"), nil
}

func (l *lineReader) broken(err error) *Error {
	message := text.Cause(err)
	switch {
	case l.gzip && (errors.Is(err, io.ErrUnexpectedEOF) || err == io.EOF):
		message = "the compressed file ends early: it is truncated"
	case l.gzip:
		message = "the compressed file is damaged: " + message
	}
	return &Error{File: l.file, Line: l.line + 1, Message: message}
}

func (l *lineReader) errorf(format string, args ...any) *Error {
	return &Error{File: l.file, Line: max(l.line, 1), Message: fmt.Sprintf(format, args...)}
}

// A pairReader reads a record of keys and values. It remembers the first value that
// is not as expected.
type pairReader struct {
	values map[string][]byte
	clock  *clock
	time   string // how times are written
	why    string
}

// fail says that a value is not as expected.
func (r *pairReader) fail(key, want string) {
	if r.why == "" {
		r.why = fmt.Sprintf("%s: expected %s, got %s", key, want, quote(r.values[key]))
	}
}

// when returns a time.
func (r *pairReader) when(key string) int64 {
	x, ok := r.clock.parse(r.values[key])
	if !ok {
		r.fail(key, r.time)
	}
	return x
}

// whole returns a whole number.
func (r *pairReader) whole(key string) int {
	n, ok := parseCount(r.values[key])
	if !ok {
		r.fail(key, "a whole number")
	}
	return n
}

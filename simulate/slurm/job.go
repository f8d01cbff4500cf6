package slurm

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"revopt/simulate/workload"
)

// logJob is a job as a log has it. Times are Unix seconds, 0 if unknown.
type logJob struct {
	id, owner                              []byte // both identify the job
	number                                 int64  // -1 if the log has none
	submit, eligible, start, end           int64
	elapsed                                int64   // s, -1 if unknown
	suspended                              int64   // s
	component                              int     // of a heterogeneous job, from 1; 0 of others
	limit                                  float64 // s, -1 if unknown or none
	alloc, asked                           resources
	state                                  jobState
	never                                  bool // no resources were ever allocated
	barred                                 bool // the log says that it was not eligible yet
	last                                   bool // tasks of its array, under the number of the array
	user, group, queue, partition, account []byte
	fates                                  fateSet // so far
}

// jobState is the state of a job at the end of the log.
type jobState uint8

const (
	stateUnknown jobState = iota
	stateDone
	stateFailed
	stateCanceled
	stateRequeued
	stateOpen // waiting or running
)

// status returns the status of a trace.
func (s jobState) status() float64 { return [...]float64{-1, 1, 0, 5, 0, -1}[s] }

// longest is the longest time that a job can run, s.
const longest = 366 * 86400

// submitted returns the time from which the wait of a job counts.
func (j *logJob) submitted(eligible bool) int64 {
	submit := cmp.Or(j.submit, j.eligible)
	switch later := j.eligible > submit; {
	case later && !eligible:
		j.fates.add(held)
	case !eligible:
	case j.barred && (j.start == 0 || j.never), later && j.end > 0 && j.eligible > j.end:
		j.fates.add(ineligible)
	case later && (j.start == 0 || j.eligible <= j.start):
		j.fates.add(released)
		return j.eligible
	}
	return submit
}

// times returns how long a job waited and ran, -1 if it did not or that is unknown.
func (j *logJob) times(c *clock, submit int64) (wait, run int64) {
	if j.start == 0 && j.end > 0 && j.elapsed > 0 && !j.never {
		j.start = j.end - j.elapsed
	}
	start := c.after(j.start, submit)
	if start == 0 || j.never {
		if j.elapsed > 0 && j.state != stateOpen { // neither start nor end is listed
			return -1, j.elapsed
		}
		if j.state == stateOpen || j.end == 0 && j.state != stateCanceled && j.state != stateFailed {
			j.fates.add(waiting)
			return -1, -1
		}
		j.fates.add(neverStarted)
		if j.end >= submit {
			return j.end - submit, -1
		}
		return -1, -1
	}
	wait = start - submit
	if wait < 0 {
		wait = 0
		j.fates.add(early)
	}
	end := c.after(j.end, start)
	run = end - start
	if end > 0 {
		run = j.unsuspended(c, run)
	}
	switch {
	case end == 0 && j.state == stateOpen:
		j.fates.add(running)
	case end == 0 && j.elapsed > 0:
		run = j.elapsed
		j.fates.add(sinceStart)
	case end == 0:
		j.fates.add(endless)
	case run < 0 && j.elapsed >= 0:
		run = j.elapsed
		j.fates.add(ranFor)
	case run < 0:
		j.fates.add(reversed)
	case j.elapsed >= 0 && (run-j.elapsed == 3600 || j.elapsed-run == 3600):
		run = j.elapsed
		j.fates.add(hourOff)
	}
	switch {
	case run > longest:
		j.fates.add(longer)
	case run == 0:
		j.fates.add(empty)
	}
	return wait, run
}

// unsuspended takes the time in which a job was suspended from the time since its start. If the log does not say how long
// that was, the time elapsed does, which is without it. An hour may be a change of the clock unless its zone is known.
func (j *logJob) unsuspended(c *clock, run int64) int64 {
	suspended := j.suspended
	if more := run - j.elapsed; suspended == 0 && j.elapsed >= 0 && more > 1 && (more != 3600 || c.stated) {
		suspended = more
	}
	if suspended <= 0 || suspended > run {
		return run
	}
	j.fates.add(halted)
	return run - suspended
}

func (m *importer) add(j *logJob) error {
	for i := gpu; i < resourceCount; i++ { // logs may state only one of the two
		j.alloc[i], j.asked[i] = cmp.Or(j.alloc[i], j.asked[i]), cmp.Or(j.asked[i], j.alloc[i])
	}
	alloc, less, err := m.units.width(&j.alloc)
	asked, lessAsked, wide := m.units.width(&j.asked)
	if err := cmp.Or(err, wide); err != nil {
		return m.lines.Errorf("--units: %v", err)
	}
	asked = cmp.Or(asked, alloc)
	submit := j.submitted(m.options.Eligible)
	wait, run := j.times(&m.clock, submit)
	switch idle := j.fates.has(waiting) || j.fates.has(neverStarted); {
	case idle && asked == 0:
		j.fates.add(bare)
	case !idle && wait >= 0 && alloc == 0 && asked == 0:
		j.fates.add(widthless)
	}
	if j.fates.has(neverStarted) {
		alloc, less = 0, lessAsked
	}
	if less {
		j.fates.add(least)
	}
	m.judge(j)
	if m.options.Runs {
		j.id = strconv.AppendInt(append(slices.Clip(j.id), ' '), submit, 10)
	}
	known := func(n int) float64 { return float64(cmp.Or(n, -1)) }
	e := event{
		workload.JobNumber: float64(j.number), workload.SubmitTime: float64(submit),
		workload.WaitTime: float64(wait), workload.RunTime: float64(run),
		workload.Allocated: known(alloc), workload.Requested: known(asked),
		workload.CPUTime: -1, workload.UsedMemory: -1, workload.RequestedTime: j.limit, workload.RequestedMemory: -1,
		workload.Status: j.state.status(), workload.Preceding: -1, workload.ThinkTime: -1,
		eventKey: m.hash(j.id, j.owner), eventPlace: float64(m.lines.Line), eventFates: float64(j.fates),
		eventNodes: cmp.Or(j.alloc[node], j.asked[node]),
	}
	e[eventComponent] = float64(j.component)
	if until := min(j.eligible, cmp.Or(j.start, j.eligible)); until > submit {
		e[workload.Eligible] = float64(until - submit)
	}
	if j.last {
		e[eventLast] = 1
	}
	if m.pools != nil {
		number, several := m.poolOf(j)
		e[eventPool], e[eventGPUs], e[eventAskedGPUs] = float64(number), j.alloc[gpu], j.asked[gpu]
		if j.fates&omissions == 0 {
			m.inPool(number, several, j.alloc[gpu] > 0)
		}
	}
	for i, name := range [partyCount][]byte{j.account, j.partition, j.queue, j.group, j.user} {
		e[partyField[i]] = m.names[i].number(name)
	}
	m.events = append(m.events, &e)
	return nil
}

// judge adds the fates of a job that its times and its width do not decide. A job that is kept tells which resources jobs
// state, and how many cores a node has.
func (m *importer) judge(j *logJob) {
	if j.alloc[gpu] > 0 && !m.units.is(gpu, billing) {
		j.fates.add(accelerated)
	}
	if p := m.options.Partition; p != "" {
		list := string(orElse(j.partition, j.queue))
		if list != p && !slices.Contains(strings.Split(list, ","), p) {
			j.fates.add(elsewhere)
		}
	}
	if j.state == stateUnknown {
		j.fates.add(strange)
	}
	if j.limit < 0 {
		j.fates.add(unlimited)
	}
	if j.fates&omissions == 0 {
		for i := range m.stated {
			m.stated[i] = m.stated[i] || j.asked[i] > 0
		}
		if nodes, cores := int(j.alloc[node]), int(j.alloc[cpu]); nodes > 0 && cores > 0 && !j.fates.has(neverStarted) {
			m.perNode[cores/nodes]++
		}
	}
}

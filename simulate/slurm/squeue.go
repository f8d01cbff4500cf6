package slurm

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"revopt/internal/hostlist"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

// QueuedJob is a job of squeue. Times are Unix seconds, 0 if they are unknown.
type QueuedJob struct {
	ID                            string
	Number                        int64 // by which it is updated; of an array the array's; 0: unknown
	Raw                           int64 // of its own record; negative: not stated
	Array                         int64 // that it is a task of, or that has it in one record with others; 0: none
	Tasks                         int   // of an array that wait in one record; 0: it is one job
	User, Account, Partition, QOS string
	Running                       bool
	Nodes, CPUs                   int     // 0: unknown
	Submit, Start                 float64 // the start of a running job
	Limit                         float64 // s, 0: none
	Eligible                      float64 // when it may start at the earliest, by dependencies and begin times
	Reservation                   string  // in which it runs
	Parts                         bool    // it is of a heterogeneous job, whose parts start together
	Restarts                      int     // how often it was requeued
	Line                          int     // of the file, 0: it has no lines
}

// goneStates are those of jobs that neither run nor wait, in the words of squeue.
const goneStates = " BF BOOT_FAIL CA CANCELLED CD COMPLETED DL DEADLINE F FAILED LAUNCH_FAILED NF NODE_FAIL OOM" +
	" OUT_OF_MEMORY PR PREEMPTED RD RESV_DEL_HOLD RF REQUEUE_FED RH REQUEUE_HOLD RQ REQUEUED RECONFIG_FAIL RV REVOKED" +
	" SE SPECIAL_EXIT SO STAGE_OUT TO TIMEOUT "

// ReadQueue reads the output of squeue with its header, and returns the jobs that run
// or wait for units and the time at which it was printed. Times without a zone are in the given one. A job that is
// held, or waits for other jobs or a time, does not wait for units: by its reason or, since an update of a job clears
// that, by the columns PRIORITY, DEPENDENCY and ELIGIBLE_TIME. A queue that cannot be is an error: a job that is
// listed twice, one that was submitted after the queue was printed, or one that started before it was submitted.
func ReadQueue(file string, zone *time.Location) (jobs []QueuedJob, now float64, err error) {
	q := queueReader{seen: map[string]bool{}}
	err = conf.Open(file, func(lines *workload.Lines) error {
		return eachRecord(lines, "squeue", zone, []string{queueID, queueState}, q.read)
	})
	q.finish()
	for _, j := range q.jobs {
		if err == nil && q.printed > 0 && !q.suspended && j.Submit > q.printed+clockSkew {
			err = &workload.Error{File: file, Line: j.Line, Message: fmt.Sprintf("SUBMIT_TIME: expected a time up to "+
				"that of the queue, %s by the running jobs, got %s", utc(q.printed), utc(j.Submit))}
		}
	}
	return q.jobs, q.now, err
}

// Rows is a queue row by row, as a cluster has it now.
type Rows struct {
	Jobs       []QueuedJob // that run or wait for units; waiting tasks of an array that share a record are one
	Unreadable []string    // jobs of rows that cannot be read, or that are listed twice
	Idle       int         // jobs that are held, or wait for other jobs or a time
}

// ReadRows reads rows of squeue with the given columns as ReadQueue does, but no row of a job is an error: of any job
// that anybody submits, the others are known. Times are in UTC.
func ReadRows(columns []string, rows [][]string) *Rows {
	q := queueReader{seen: map[string]bool{}, whole: true}
	for _, row := range rows {
		r := rowReader(&conf.Sheet{Columns: columns, Row: row}, nil)
		q.read(&r)
	}
	q.finish()
	return &Rows{Jobs: q.jobs, Unreadable: q.unreadable, Idle: q.idle}
}

// finish leaves out the jobs that begin later or are listed twice, and dates the starts that are known as ages.
func (q *queueReader) finish() {
	all := len(q.jobs)
	q.jobs = slices.DeleteFunc(q.jobs, func(j QueuedJob) bool { return !j.Running && j.Eligible > q.now })
	q.idle += all - len(q.jobs)
	q.jobs = slices.DeleteFunc(q.jobs, func(j QueuedJob) bool { return slices.Contains(q.unreadable, j.ID) })
	for i := range q.jobs {
		j := &q.jobs[i]
		if j.Running && j.Start <= 0 {
			j.Start += q.now
		}
	}
}

// Names of the columns that every queue has.
const queueID, queueState = "JOBID JOBARRAYID", "STATE ST"

// QueueRecord is the column of the number of a record, where JOBID names a job of an array by its task.
const QueueRecord = "RECORD"

// queueReader reads a queue job by job.
type queueReader struct {
	jobs      []QueuedJob
	seen      map[string]bool // numbers of jobs
	now       float64
	printed   float64 // when it was printed, by the running jobs; 0: none runs
	suspended bool    // some clocks stand still

	whole      bool     // see ReadRows
	unreadable []string // likewise
	idle       int      // likewise
}

// read reads a record, and adds its jobs if they run or wait for units.
func (q *queueReader) read(r *fieldReader) {
	q.readJob(r)
	if q.whole && r.why != "" {
		q.unreadable = append(q.unreadable, string(r.get(queueID)))
		r.why = ""
	}
}

func (q *queueReader) readJob(r *fieldReader) {
	j, spent := queuedJob(r)
	word, _, _ := strings.Cut(string(r.get(queueState)), ",")
	over := false // or it waits for a person, another job or a time
	switch word {
	case "R", "RUNNING", "CG", "COMPLETING", "CF", "CONFIGURING", "S", "SUSPENDED", "ST", "STOPPED",
		"SI", "SIGNALING", "RS", "RESIZING":
		q.setRunning(r, &j, spent, word)
	case "PD", "PENDING":
		j.Start = 0
		reason := strings.ToLower(string(r.get("REASON NODELIST(REASON)")))
		over = slices.ContainsFunc([]string{"held", "dependency", "begintime"}, func(other string) bool {
			return strings.Contains(reason, other)
		}) || r.stated("DEPENDENCY") != "" || string(r.get("PRIORITY PRIORITYLONG")) == "0"
		if over {
			q.idle++
		}
	default:
		over = strings.Contains(goneStates, " "+word+" ")
		if !over {
			r.fail(queueState, "a state of a job such as RUNNING, PENDING or COMPLETED")
			return
		}
	}
	if over {
		r.why = ""
		return
	}
	if j.Nodes == 0 && j.CPUs == 0 {
		r.fail("NODES", "a number of nodes or CPUs above 0")
	}
	if q.whole {
		q.addWhole(r, j)
	} else {
		q.add(r, j)
	}
	if r.why == "" {
		q.now = max(q.now, j.Submit)
	}
}

// queuedJob returns what a record says of a job in any state. Its start is that of a job that runs, else an estimate; it
// has run for some seconds.
func queuedJob(r *fieldReader) (j QueuedJob, spent float64) {
	get := func(key string) string { return string(r.get(key)) }
	j = QueuedJob{
		User: get("USER USERNAME"), Account: get("ACCOUNT"), Partition: get("PARTITION"), QOS: get("QOS"),
		Nodes: int(r.whole("NODES NUMNODES")), CPUs: int(r.whole("CPUS NUMCPUS MIN_CPUS")),
		Submit: float64(r.when("SUBMIT_TIME SUBMITTIME")),
		Limit:  max(r.span("TIME_LIMIT TIMELIMIT", 60, "a time such as 1-02:03:04 or UNLIMITED"), 0),
		Start:  float64(r.when("START_TIME STARTTIME")),
		Line:   r.line,
	}
	spent = max(r.span("TIME TIME_USED TIMEUSED", 60, "a time such as 1-02:03:04"), 0)
	j.Eligible = float64(r.when("ELIGIBLE_TIME ELIGIBLETIME"))
	j.Reservation = r.stated("RESERVATION")
	j.Parts = strings.Trim(r.stated("HET_JOB_ID HETJOBID"), "0") != "" || strings.Contains(get(queueID), "+")
	j.Restarts = int(r.whole("RESTART_COUNT RESTARTCNT RESTART_CNT"))
	return j, spent
}

// setRunning notes that a job runs, and what its start says of the clock of the queue.
func (q *queueReader) setRunning(r *fieldReader, j *QueuedJob, spent float64, state string) {
	j.Running = true
	start := j.Start
	if start > 0 {
		q.now = max(q.now, start+spent)
	} else {
		j.Start = -spent // from now on, see ReadQueue
	}
	running := state == "R" || state == "RUNNING"
	if running && start > 0 && spent > 0 {
		q.printed = max(q.printed, start+spent)
	}
	q.suspended = q.suspended || !running && state[0] == 'S'
	if start > 0 && j.Submit > start+clockSkew && !q.whole { // a job that was suspended may be listed so
		r.fail("START_TIME STARTTIME", "a time from its submission on")
	}
}

// add adds a job, or the tasks of an array.
func (q *queueReader) add(r *fieldReader, j QueuedJob) {
	list := string(r.get(queueID))
	list, _, limited := strings.Cut(list, "%")
	if limited {
		list += "]"
	}
	names, ok := taskNames(list)
	if !ok {
		r.fail(queueID, "a number such as 254 or 254_[2-4]")
	}
	for _, j.ID = range names {
		if q.seen[j.ID] {
			r.fail(queueID, "each job once")
		}
		q.seen[j.ID] = true
		q.jobs = append(q.jobs, j)
	}
}

// addWhole adds a job, or the tasks of an array as one.
func (q *queueReader) addWhole(r *fieldReader, j QueuedJob) {
	j.ID = string(r.get(queueID))
	if q.seen[j.ID] {
		r.fail(queueID, "each job once")
		return
	}
	q.seen[j.ID] = true
	var ok bool
	j.Number, j.Array, j.Tasks, ok = jobNumber(j.ID)
	j.Raw = j.Number
	if j.Array > 0 && j.Tasks == 0 {
		j.Raw = -int64(len(q.seen)) // it has a record of its own
	}
	if raw, err := strconv.ParseInt(string(r.get(QueueRecord)), 10, 64); err == nil && raw > 0 {
		j.Raw = raw
	}
	if !ok {
		r.fail(queueID, "a number such as 254 or 254_[2-4]")
		return
	}
	q.jobs = append(q.jobs, j)
}

// jobNumber reads the number of a job such as 254, 254_3, 254_[1-9:2%4], 254_[1-7,...] or 254+1: that by which it is
// updated, its array if it has one, and how many tasks it stands for, of a list that is cut at least those that are
// listed.
func jobNumber(id string) (number, array int64, tasks int, ok bool) {
	first, rest, inArray := strings.Cut(id, "_")
	first, _, _ = strings.Cut(first, "+")
	number, err := strconv.ParseInt(first, 10, 64)
	if err != nil || number <= 0 {
		return 0, 0, 0, false
	}
	if !inArray {
		return number, 0, 0, true
	}
	if list, found := strings.CutPrefix(rest, "["); found {
		tasks = max(countTasks(strings.TrimSuffix(list, "]")), 1)
	}
	return number, number, tasks, true
}

// JobNumber returns the number by which a job is updated: of an array and its tasks, that of the array.
func JobNumber(id string) (number int64, ok bool) {
	number, _, _, ok = jobNumber(id)
	return number, ok
}

// countTasks returns the number of tasks of a list such as 1-9:2,12%4. A part that cannot be read counts as none.
func countTasks(list string) (n int) {
	list, _, _ = strings.Cut(list, "%")
	for part := range strings.SplitSeq(list, ",") {
		from, to, step, ok := taskRange(part)
		if ok {
			n += (to-from)/step + 1
		}
	}
	return n
}

// TaskList returns the tasks of a list such as 3 or [1-9:2,12-15%4] as numbers and ranges without steps. It reports
// whether all of the list could be read.
func TaskList(list string) (tasks []string, ok bool) {
	list, _, _ = strings.Cut(strings.Trim(list, "[]"), "%")
	for part := range strings.SplitSeq(list, ",") {
		from, to, step, ok := taskRange(part)
		if !ok || (to-from)/step >= mostTasks-len(tasks) {
			return nil, false
		}
		if step == 1 && from < to {
			tasks = append(tasks, fmt.Sprintf("%d-%d", from, to))
			continue
		}
		for task := from; task <= to; task += step {
			tasks = append(tasks, strconv.Itoa(task))
		}
	}
	return tasks, true
}

// taskRange reads tasks such as 7, 1-9 or 1-9:2.
func taskRange(part string) (from, to, step int, ok bool) {
	bounds, stride, stepped := strings.Cut(part, ":")
	step = 1
	var bad error
	if stepped {
		step, bad = strconv.Atoi(stride)
	}
	first, last, several := strings.Cut(bounds, "-")
	if !several {
		last = first
	}
	from, err := strconv.Atoi(first)
	to, wrong := strconv.Atoi(last)
	return from, to, step, bad == nil && err == nil && wrong == nil && 0 <= from && from <= to && step > 0
}

// mostTasks is the most tasks of an array that are listed one by one.
const mostTasks = 1 << 16

// taskNames returns the jobs of a number such as 254 or 254_[2-8:2,11].
func taskNames(list string) (names []string, ok bool) {
	array, tasks, several := strings.Cut(list, "_[")
	if !several {
		return hostlist.Expand(list, mostTasks)
	}
	for part := range strings.SplitSeq(strings.TrimSuffix(tasks, "]"), ",") {
		from, to, step, ok := taskRange(part)
		if !ok || (to-from)/step >= mostTasks-len(names) {
			return nil, false
		}
		for task := from; task <= to; task += step {
			names = append(names, fmt.Sprintf("%s_%d", array, task))
		}
	}
	_, err := strconv.ParseInt(array, 10, 64)
	return names, err == nil
}

// clockSkew is by how much clocks of a cluster may differ, s.
const clockSkew = 60

// utc returns Unix seconds as a time.
func utc(t float64) string { return time.Unix(int64(t), 0).UTC().Format(time.RFC3339) }

// Nodes is the nodes of sinfo.
type Nodes struct {
	Up, All         int // nodes: those that can run jobs, and all
	UpCPUs, AllCPUs int
	Counted         bool // CPUs are listed
}

// nodeState is the column that sinfo must have.
const nodeState = "STATE"

// ReadNodes reads the output of sinfo with its header. A node that is listed with several partitions counts once.
func ReadNodes(file string) (*Nodes, error) {
	x := nodeReader{Nodes{Counted: true}, map[string]bool{}}
	return &x.sum, conf.Open(file, x.readAll)
}

// NodesOf reads what sinfo of a cluster answers now, as ReadNodes does.
func NodesOf(answer []byte) (*Nodes, error) {
	x := nodeReader{Nodes{Counted: true}, map[string]bool{}}
	return &x.sum, conf.Read("sinfo", bytes.NewReader(answer), x.readAll)
}

// nodeReader adds up nodes row by row.
type nodeReader struct {
	sum  Nodes
	seen map[string]bool // names
}

// readAll adds the nodes of all rows.
func (x *nodeReader) readAll(lines *workload.Lines) error {
	return eachRecord(lines, "sinfo", nil, []string{nodeState}, x.read)
}

// read adds the nodes of a row.
func (x *nodeReader) read(r *fieldReader) {
	const list, count, state = "NODELIST HOSTNAMES", "CPUS", nodeState
	names, ok := hostlist.Expand(string(r.get(list)), hostlist.Most)
	n, each := len(names), 0
	if len(r.get(list)) == 0 {
		n, ok = int(r.whole("NODES")), len(r.get("NODES")) > 0
	}
	if !ok {
		r.fail(list, "names of nodes such as n[01-04], or a number in NODES")
	}
	if len(r.get(count)) > 0 {
		each = int(r.whole(count))
	} else {
		x.sum.Counted = false
	}
	up, known := nodeUp(string(r.get(state)))
	if !known {
		r.fail(state, "a state of a node such as idle, mixed, drained or down*")
	}
	for _, name := range names {
		if x.seen[name] {
			n--
		}
		x.seen[name] = true
	}
	x.sum.All += n
	x.sum.AllCPUs += n * each
	if up {
		x.sum.Up += n
		x.sum.UpCPUs += n * each
	}
}

// States of nodes, in the words of sinfo.
const (
	// upStates can run jobs: now, after other jobs, or after they were woken.
	upStates = " idle alloc allocated mix mixed comp completing plnd planned undrain resume cloud dynamic dynamic_norm" +
		" pow_dn pow_up power_save power_down power_up power_drain powering_down powering_up powered_down powered_up" +
		" reboot_requested reboot_canceled "
	// offStates cannot: they are broken, kept by an operator or for others, or not there yet.
	offStates = " down drain drained draining drng fail failing failg error maint maintenance unk unknown" +
		" not_responding no_respond reboot rebooting reboot_issued boot booting future futr dynamic_future inval" +
		" invalid invalid_reg res resv reserved npc perfctrs blocked "
)

// nodeUp reports whether a node can run jobs by the words of its state, and whether all of them are known. Sinfo
// adds signs to a word: *: it does not respond, $: maintenance, ^: it reboots; with others it can run jobs.
func nodeUp(state string) (up, known bool) {
	words := strings.FieldsFunc(strings.ToLower(state), func(c rune) bool { return strings.ContainsRune(" ,+|", c) })
	up = true
	known = len(words) > 0
	for _, word := range words {
		name := strings.TrimRight(word, "*~#!%$@^-")
		up = up && !strings.ContainsAny(word[len(name):], "*$^")
		switch word := " " + name + " "; {
		case strings.Contains(offStates, word):
			up = false
		case !strings.Contains(upStates, word):
			known = false
		}
	}
	return up, known
}

// rowReader reads the values of a row of a command's output. Times without a zone are in the given one; nil is UTC.
func rowReader(s *conf.Sheet, zone *time.Location) fieldReader {
	return fieldReader{
		get: func(key string) []byte {
			return []byte(strings.TrimSuffix(strings.ReplaceAll(s.Get(key), "NOT_SET", ""), "+"))
		},
		clock: &clock{zone: cmp.Or(zone, time.UTC)}, time: "a time such as 2026-11-15T08:46:57",
		name: func(key string) string { return strings.Fields(key)[0] },
	}
}

// eachRecord reads the rows of a command's output, which has a header with some columns.
func eachRecord(lines *workload.Lines, command string, zone *time.Location, need []string, read func(*fieldReader)) error {
	return conf.EachRow(lines, command, need, func(s *conf.Sheet) error {
		r := rowReader(s, zone)
		r.line = lines.Line
		read(&r)
		if r.why != "" {
			return lines.Errorf("%s", r.why)
		}
		return nil
	})
}

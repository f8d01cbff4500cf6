package steer

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"revopt/model/scenario"
	"revopt/simulate/subject"
)

// fakeJob is a job of a fakeSlurm.
type fakeJob struct {
	account, name   string
	width           int
	base, submit    int64
	factor          int
	running, held   bool
	depends, later  bool
	array, parts    bool
	reserved, ended bool
	fixed           int64 // priority that an operator has set
	restarts        int
	of              int64  // the array that it is a task of, with a record of its own
	guard           bool   // no change may reach it
	qos             string // "": q
	partitions      string // "": batch
}

// fakeSlurm answers as Slurm does. It ends the process that asks, so to speak, before a given operation.
type fakeSlurm struct {
	now     int64
	jobs    map[int64]*fakeJob
	inputs  []string
	calls   int
	updates int
	killAt  int // the number of the update or call before which the process ends; 0: never
	steps   int
	threads int
	cluster string
	touched []int64 // jobs that are guarded and were changed
	purged  map[int64]bool
	account bool             // there are accounts of jobs
	rights  bool             // it refuses all changes
	refuses map[int64]string // what it says of jobs that it does not change
	// lie changes an answer, or what happens; nil: none does
	lie     func(program string, out []byte, err error) ([]byte, error)
	params  string // SchedulerParameters; "": a threshold of a million
	preempt string // PreemptType; "": not stated
	table   string // of QOS; "": sacctmgr fails
	ageless bool   // ages do not count
}

var errKilled = errors.New("killed")

func (f *fakeSlurm) step() error {
	f.steps++
	if f.killAt > 0 && f.steps >= f.killAt {
		return errKilled
	}
	return nil
}

var (
	updateLine = regexp.MustCompile(`^update JobId=(\d+)(_\[[\d,-]+\])? SiteFactor=(-?\d+)$`)
	holdLine   = regexp.MustCompile(`^(hold|release) (\d+)$`)
)

func (f *fakeSlurm) Call(_ context.Context, input, program string, args ...string) ([]byte, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	f.calls++
	out, err := f.answer(input, program, args)
	if f.lie != nil {
		return f.lie(program, out, err)
	}
	return out, err
}

func (f *fakeSlurm) answer(input, program string, args []string) ([]byte, error) {
	var out strings.Builder
	switch program {
	case "sdiag":
		fmt.Fprintf(&out, "Server thread count:  %d\nAgent queue size:     0\n", f.threads)
	case "sinfo":
		out.WriteString("NODELIST|STATE|CPUS\nn[1-32]|mixed|1\n")
	case "squeue":
		f.squeue(&out, args)
	case "sprio":
		out.WriteString("JOBID|PRIORITY|SITE|AGE|ASSOC|FAIRSHARE|JOBSIZE|PARTITION|QOS|TRES|NICE\n")
		for _, id := range sorted(f.jobs) {
			if j := f.jobs[id]; j.listed() && j.fixed > 0 {
				fmt.Fprintf(&out, "%d|%d|0|0|0|0|0|0|0||0\n", id, j.fixed)
			} else if j.listed() {
				for range strings.Split(j.partitions, ",") {
					fmt.Fprintf(&out, "%d|%d|%d|%d|0|0|0|0|0||0\n", id, max(j.base+int64(j.factor), 1), j.factor, j.base)
				}
			}
		}
	case "sacctmgr":
		if f.table == "" {
			return nil, &CallError{Program: program, Message: "accounting is not there"}
		}
		out.WriteString(f.table)
	case "sacct":
		for id := range strings.SplitSeq(args[slices.Index(args, "-j")+1], ",") {
			number, _ := strconv.ParseInt(id, 10, 64)
			for _, j := range f.recordsOf(number) {
				fmt.Fprintf(&out, "%s|%s\n", id, j.state())
			}
			if f.purged[number] {
				fmt.Fprintf(&out, "%s|COMPLETED\n", id)
			}
		}
	case "scontrol":
		switch {
		case len(args) == 0:
			return nil, f.scontrol(input)
		case args[len(args)-1] == "config":
			f.config(&out)
		default:
			number, _ := strconv.ParseInt(args[len(args)-1], 10, 64)
			if len(f.recordsOf(number)) == 0 {
				return nil, &CallError{Program: program, Message: "slurm_load_jobs error: Invalid job id specified"}
			}
			fmt.Fprintf(&out, "JobId=%d\n", number)
		}
	}
	return []byte(out.String()), nil
}

func (f *fakeSlurm) config(out *strings.Builder) {
	fmt.Fprintf(out, "ClusterName             = %s\n", cmp.Or(f.cluster, "fake"))
	out.WriteString("PriorityType            = priority/multifactor\n")
	if !f.ageless {
		out.WriteString("PriorityWeightAge       = 1000\n")
	}
	out.WriteString("PriorityMaxAge          = 7-00:00:00\nPriorityCalcPeriod      = 00:05:00\n")
	if f.account {
		out.WriteString("AccountingStorageType   = accounting_storage/slurmdbd\n")
	}
	if f.preempt != "" {
		fmt.Fprintf(out, "PreemptType             = %s\n", f.preempt)
	}
	fmt.Fprintf(out, "SchedulerParameters     = %s\n", cmp.Or(f.params, "bf_continue,bf_min_prio_reserve=1000000"))
}

// recordsOf returns the records of a number: of an array all.
func (f *fakeSlurm) recordsOf(number int64) (list []*fakeJob) {
	for _, id := range sorted(f.jobs) {
		if id == number || f.jobs[id].of == number {
			list = append(list, f.jobs[id])
		}
	}
	return list
}

// state returns the word of squeue.
func (j *fakeJob) state() string {
	switch {
	case j.ended:
		return "COMPLETED"
	case j.running:
		return "RUNNING"
	}
	return "PENDING"
}

// listed reports whether sprio has the job.
func (j *fakeJob) listed() bool { return !j.running && !j.ended && !j.held && !j.depends && !j.later }

func (f *fakeSlurm) squeue(out *strings.Builder, args []string) {
	_, end, _ := strings.Cut(args[len(args)-1], ":")
	end, _, _ = strings.Cut(end, ",")
	row := func(fields ...any) {
		for _, x := range fields {
			fmt.Fprint(out, x, end)
		}
		out.WriteByte('\n')
	}
	row("JOBID", "JOBID", "STATE", "USER", "ACCOUNT", "PARTITION", "QOS", "NODES", "CPUS", "SUBMIT_TIME", "ELIGIBLE_TIME",
		"START_TIME", "TIME", "TIME_LIMIT", "PRIORITY", "DEPENDENCY", "RESERVATION", "HET_JOB_ID", "RESTART_COUNT", "REASON")
	stamp := func(t int64) string { return time.Unix(t, 0).UTC().Format("2006-01-02T15:04:05") }
	for _, id := range sorted(f.jobs) {
		j := f.jobs[id]
		name, priority := strconv.FormatInt(id, 10), max(j.base+int64(j.factor), 1)
		start, eligible, depends, reserved, het := "N/A", stamp(j.submit), "(null)", "(null)", "N/A"
		switch {
		case j.running, j.ended:
			start = stamp(j.submit)
		case j.held:
			priority = 0
		case j.depends:
			depends = "afterok:1(unfulfilled)"
		case j.later:
			eligible = stamp(f.now + 3600)
		case j.parts:
			name, het = name+"+0", name
		case j.reserved:
			reserved = "week"
		}
		switch {
		case j.of > 0:
			name = fmt.Sprintf("%d_%d", j.of, id)
		case j.array && !j.running && !j.ended:
			name += "_[1-99:2%4]"
		case j.array:
			name += "_99"
		}
		row(cmp.Or(j.name, name), id, j.state(), "u", j.account, cmp.Or(j.partitions, "batch"), cmp.Or(j.qos, "q"), j.width,
			j.width, stamp(j.submit), eligible, start, "0:00", "10:00", priority, depends, reserved, het, j.restarts, "None")
	}
}

// scontrol does what its input says, line by line.
func (f *fakeSlurm) scontrol(input string) error {
	f.inputs = append(f.inputs, input)
	var failed error
	for line := range strings.Lines(input) {
		if err := f.step(); err != nil {
			return err
		}
		f.updates++
		if err := f.makeChange(strings.TrimSuffix(line, "\n")); err != nil {
			failed = cmp.Or(failed, err)
		}
	}
	return failed
}

// makeChange makes one change.
func (f *fakeSlurm) makeChange(line string) error {
	if f.rights {
		return &CallError{Program: "scontrol", Message: "Invalid user id for job 7"}
	}
	if m := holdLine.FindStringSubmatch(line); m != nil {
		id, _ := strconv.ParseInt(m[2], 10, 64)
		f.jobs[id].held = m[1] == "hold"
		return nil
	}
	m := updateLine.FindStringSubmatch(line)
	if m == nil {
		panic("a line that is none of ours: " + strconv.Quote(line))
	}
	id, _ := strconv.ParseInt(m[1], 10, 64)
	factor, _ := strconv.Atoi(m[3])
	records := f.recordsOf(id)
	if m[2] != "" { // the tasks of the array that share a record
		records = records[:1]
	}
	if f.refuses[id] != "" {
		return &CallError{Program: "scontrol", Message: f.refuses[id]}
	}
	if len(records) == 0 {
		return &CallError{Program: "scontrol", Message: "Invalid job id specified for job " + m[1]}
	}
	made := false
	for _, j := range records {
		if !j.ended {
			j.factor, made = factor, true
		}
		if j.guard {
			f.touched = append(f.touched, id)
		}
	}
	if !made {
		return &CallError{Program: "scontrol", Message: "Job has already finished for job " + m[1]}
	}
	return nil
}

// factors returns the factors of the jobs that wait.
func (f *fakeSlurm) factors() map[int64]int {
	list := map[int64]int{}
	for id, j := range f.jobs {
		if !j.running && !j.ended {
			list[id] = j.factor
		}
	}
	return list
}

const testScenario = `
server: {parallel: 32, residual: multiserver}
load: 1.2
classes:
  - {name: chem, share: 0.4, length: {dist: exponential, mean: 300}, price: 10, decay: 0.02, grace: 600}
  - {name: phys, share: 0.3, length: {dist: exponential, mean: 300}, price: 5, decay: 0.01}
  - {name: bio, share: 0.3, length: {dist: exponential, mean: 300}, price: 2, decay: 0.001}
`

// randomQueue returns a queue of jobs of all kinds.
func randomQueue(rng *rand.Rand, n int) *fakeSlurm {
	f := &fakeSlurm{now: 1794965283, jobs: map[int64]*fakeJob{}}
	for id := int64(1); id <= int64(n); id++ {
		j := &fakeJob{account: []string{"chem", "phys", "bio", "other"}[rng.IntN(40)%4], width: 1 + rng.IntN(3),
			submit: f.now - 4*int64(n) + 4*id, base: rng.Int64N(5000)}
		kind := rng.IntN(20)
		j.guard = kind < 7 && kind != 3 || j.account == "other"
		switch kind {
		case 0:
			j.held = true
		case 1:
			j.depends = true
		case 2:
			j.later = true
		case 3:
			j.array = true
		case 4:
			j.parts = true
		case 5:
			j.reserved = true
		case 6:
			j.factor = 77 // of another party
		case 7:
			j.running = true
		}
		f.jobs[id] = j
	}
	return f
}

// newSteerer returns a steerer of a fake Slurm with a journal.
func newSteerer(t testing.TB, f *fakeSlurm, settings Settings, label ...string) *Steerer {
	t.Helper()
	doc, err := scenario.Parse("test.yaml", []byte(testScenario))
	if err != nil {
		t.Fatal(err)
	}
	specs := subject.Standard()
	on, err := subject.Open(t.Context(), doc, 1, specs)
	if err != nil {
		t.Fatal(err)
	}
	by, err := subject.ParsePolicy(specs, strings.Split(append(label, "value-bf")[0], ":"))
	if err != nil {
		t.Fatal(err)
	}
	if settings.Span == 0 {
		settings.Span = 1e8
	}
	s := &Steerer{Settings: settings, Slurm: f, Clock: func() time.Time { return time.Unix(f.now, 0) },
		Rest: func(time.Duration) {}}
	if err := s.Open(t.Context(), on, by, 1); err != nil {
		t.Fatal(err)
	}
	return s
}

// begin opens the journal, as a new process does.
func begin(t testing.TB, s *Steerer, file string) {
	t.Helper()
	journal, records, err := OpenJournal(file)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { journal.Close() })
	s.Journal = journal
	if _, err := s.Recover(t.Context(), records); err != nil {
		t.Fatal(err)
	}
	if err := s.Begin(Start{}); err != nil {
		t.Fatal(err)
	}
}

func journalFile(t testing.TB) string { return filepath.Join(t.TempDir(), "steer.journal") }

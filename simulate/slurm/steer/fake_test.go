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
	params  string // SchedulerParameters; "": a threshold of a million
	preempt string // PreemptType; "": not stated
	table   string // of QOS; "": sacctmgr fails
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
	updateLine = regexp.MustCompile(`^update JobId=(\d+) SiteFactor=(-?\d+)$`)
	holdLine   = regexp.MustCompile(`^(hold|release) (\d+)$`)
)

func (f *fakeSlurm) Call(_ context.Context, input, program string, args ...string) ([]byte, error) {
	if err := f.step(); err != nil {
		return nil, err
	}
	f.calls++
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
	case "scontrol":
		if len(args) > 0 {
			if f.preempt != "" {
				fmt.Fprintf(&out, "PreemptType             = %s\n", f.preempt)
			}
			fmt.Fprintf(&out, "ClusterName             = %s\n", cmp.Or(f.cluster, "fake"))
			out.WriteString("PriorityType            = priority/multifactor\nPriorityWeightAge       = 1000\n")
			out.WriteString("PriorityMaxAge          = 7-00:00:00\nPriorityCalcPeriod      = 00:05:00\n")
			fmt.Fprintf(&out, "SchedulerParameters     = %s\n", cmp.Or(f.params, "bf_continue,bf_min_prio_reserve=1000000"))
			break
		}
		return nil, f.scontrol(input)
	}
	return []byte(out.String()), nil
}

// listed reports whether sprio has the job.
func (j *fakeJob) listed() bool { return !j.running && !j.ended && !j.held && !j.depends && !j.later }

func (f *fakeSlurm) squeue(out *strings.Builder, args []string) {
	pending := slices.Contains(args, "PENDING")
	_, end, _ := strings.Cut(args[len(args)-1], ":")
	end, _, _ = strings.Cut(end, ",")
	row := func(fields ...any) {
		for _, x := range fields {
			fmt.Fprint(out, x, end)
		}
		out.WriteByte('\n')
	}
	if !pending {
		row("JOBID", "STATE", "USER", "ACCOUNT", "PARTITION", "QOS", "NODES", "CPUS", "SUBMIT_TIME", "ELIGIBLE_TIME", "START_TIME",
			"TIME", "TIME_LIMIT", "PRIORITY", "DEPENDENCY", "RESERVATION", "HET_JOB_ID", "RESTART_COUNT", "REASON")
	}
	stamp := func(t int64) string { return time.Unix(t, 0).UTC().Format("2006-01-02T15:04:05") }
	for _, id := range sorted(f.jobs) {
		j := f.jobs[id]
		name, state, priority := strconv.FormatInt(id, 10), "PENDING", max(j.base+int64(j.factor), 1)
		start, eligible, depends, reserved, het := "N/A", stamp(j.submit), "(null)", "(null)", "N/A"
		switch {
		case j.ended:
			continue
		case j.running:
			state, start = "RUNNING", stamp(j.submit)
		case j.held:
			priority = 0
		case j.depends:
			depends = "afterok:1(unfulfilled)"
		case j.later:
			eligible = stamp(f.now + 3600)
		case j.array:
			name += "_[1-3]"
		case j.parts:
			name, het = name+"+0", name
		case j.reserved:
			reserved = "week"
		}
		if pending && state == "PENDING" {
			row(name, priority, stamp(j.submit), j.restarts)
		}
		if !pending {
			row(name, state, "u", j.account, cmp.Or(j.partitions, "batch"), cmp.Or(j.qos, "q"), j.width, j.width, stamp(j.submit), eligible, start, "0:00", "10:00",
				priority, depends, reserved, het, j.restarts, "None")
		}
	}
}

// scontrol does what its input says, line by line.
func (f *fakeSlurm) scontrol(input string) error {
	f.inputs = append(f.inputs, input)
	failed := false
	for line := range strings.Lines(input) {
		if err := f.step(); err != nil {
			return err
		}
		line = strings.TrimSuffix(line, "\n")
		f.updates++
		if m := updateLine.FindStringSubmatch(line); m != nil {
			id, _ := strconv.ParseInt(m[1], 10, 64)
			factor, _ := strconv.Atoi(m[2])
			if j := f.jobs[id]; j != nil && !j.ended {
				j.factor = factor
			} else {
				failed = true
			}
		} else if m := holdLine.FindStringSubmatch(line); m != nil {
			id, _ := strconv.ParseInt(m[2], 10, 64)
			f.jobs[id].held = m[1] == "hold"
		} else {
			panic("a line that is none of ours: " + strconv.Quote(line))
		}
	}
	if failed {
		return &CallError{Program: "scontrol", Message: "Invalid job id specified"}
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
		switch rng.IntN(20) {
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
	s := &Steerer{Settings: settings, Slurm: f, Clock: func() time.Time { return time.Unix(f.now, 0) }}
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

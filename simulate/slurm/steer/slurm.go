package steer

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"revopt/internal/text"
	"revopt/simulate/policy"
	rules "revopt/simulate/policy/slurm"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

// Slurm answers the programs of Slurm. Call runs one of them with an input.
type Slurm interface {
	Call(ctx context.Context, input, program string, args ...string) ([]byte, error)
}

// Programs are those of the cluster of this machine. Every call ends after a time.
type Programs struct {
	Timeout time.Duration
}

// CallError is a call that failed.
type CallError struct {
	Program string
	Late    bool   // it did not end in time
	Message string // the first line that it printed as its errors
	Cause   error
}

func (e *CallError) Error() string {
	if e.Late {
		return e.Program + ": no answer in time"
	}
	return fmt.Sprintf("%s: %s", e.Program, text.OneLine(e.Message))
}

func (e *CallError) Unwrap() error { return e.Cause }

// Call implements Slurm. Times are in UTC, whatever the zone of the site.
func (p Programs) Call(ctx context.Context, input, program string, args ...string) ([]byte, error) {
	limited, stop := context.WithTimeout(ctx, p.Timeout)
	defer stop()
	c := exec.CommandContext(limited, program, args...)
	c.WaitDelay = time.Second
	c.Env = slices.DeleteFunc(os.Environ(), func(s string) bool {
		return strings.HasPrefix(s, "SQUEUE_") || strings.HasPrefix(s, "SPRIO_") || strings.HasPrefix(s, "SINFO_")
	})
	c.Env = append(c.Env, "TZ=UTC", "LC_ALL=C", "SLURM_TIME_FORMAT=standard")
	c.Stdin = strings.NewReader(input)
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if err == nil {
		return out, nil
	}
	first, _, _ := strings.Cut(strings.TrimSpace(errs.String()), "\n")
	if first == "" {
		first = err.Error()
	}
	return out, &CallError{Program: program, Late: limited.Err() != nil && ctx.Err() == nil, Message: first, Cause: err}
}

// Files are outputs of programs of Slurm that were saved, by the names of the programs: for a dry run.
type Files map[string]string

// Call implements Slurm. A program without a file prints nothing.
func (f Files) Call(_ context.Context, _, program string, _ ...string) ([]byte, error) {
	if f[program] == "" {
		return nil, nil
	}
	return os.ReadFile(f[program])
}

// queueColumns are the columns of squeue that are read. Names and comments are not among them, but accounts are, which
// users write freely where Slurm does not enforce associations.
const queueColumns = "JobArrayID State UserName Account Partition QOS NumNodes NumCPUs SubmitTime EligibleTime StartTime " +
	"TimeUsed TimeLimit PriorityLong Dependency Reservation HetJobID RestartCnt Reason"

// askQueue returns the rows of squeue with columns between bars. Squeue ends its columns with a word that nobody knows
// beforehand: so an account with a bar or a new line makes no columns or rows of its own.
func askQueue(ctx context.Context, s Slurm, columns string, args ...string) ([]byte, error) {
	end := "=" + rand.Text() + "="
	names := strings.Fields(columns)
	args = append(args, "-O", strings.Join(names, ":"+end+",")+":"+end)
	out, err := s.Call(ctx, "", "squeue", args...)
	if err != nil || !bytes.Contains(out, []byte(end)) {
		return out, err
	}
	fields := strings.Split(string(out), end)
	if last := len(fields) - 1; last%len(names) != 0 || strings.TrimSpace(fields[last]) != "" {
		return nil, &CallError{Program: "squeue", Message: fmt.Sprintf("expected rows of %d columns", len(names))}
	}
	var rows strings.Builder
	for i, field := range fields[:len(fields)-1] {
		if i > 0 && i%len(names) == 0 {
			rows.WriteByte('\n')
			field = strings.TrimPrefix(field, "\n")
		}
		plain := func(r rune) rune {
			if r == '|' || unicode.IsControl(r) {
				return unicode.ReplacementChar
			}
			return r
		}
		rows.WriteString(strings.Map(plain, field) + "|")
	}
	rows.WriteByte('\n')
	return []byte(rows.String()), nil
}

// readQueue returns the jobs that run or wait for units, the numbers of all that are listed, and the time of the queue.
func readQueue(ctx context.Context, s Slurm) (jobs []slurm.QueuedJob, ids map[int64]bool, now float64, err error) {
	if files, ok := s.(Files); ok {
		jobs, now, err = slurm.ReadQueue(files["squeue"], nil)
		return jobs, nil, now, err
	}
	out, err := askQueue(ctx, s, queueColumns, "-a")
	if err != nil {
		return nil, nil, 0, err
	}
	ids = map[int64]bool{}
	for line := range bytes.SplitSeq(out, []byte("\n")) {
		first, _, _ := bytes.Cut(line, []byte("|"))
		if id, err := strconv.ParseInt(string(first), 10, 64); err == nil {
			ids[id] = true
		}
	}
	err = inFile("squeue", out, func(file string) error {
		jobs, now, err = slurm.ReadQueue(file, time.UTC)
		return err
	})
	return jobs, ids, now, err
}

// inFile lets an output be read as a file. An output that cannot be read is a failed call: the user gave no such file.
func inFile(name string, out []byte, read func(file string) error) error {
	dir, err := os.MkdirTemp("", "revopt-steer-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, name)
	if err := os.WriteFile(file, out, 0o600); err != nil {
		return err
	}
	err = read(file)
	if bad := (*workload.Error)(nil); errors.As(err, &bad) {
		return &CallError{Program: name, Message: fmt.Sprintf("line %d: %s", bad.Line, bad.Message)}
	}
	return err
}

// standing is what sprio says of a job that waits for units.
type standing struct {
	priority int64 // that Slurm computed, at least 1
	factor   int   // the site factor
	base     int64 // the priority without the factor, which may be negative
	several  bool  // it is in several partitions, each with a priority of its own
	fixed    bool  // an operator has set the priority: sprio then shows no parts of it, and no factor
}

// at returns the priority that a job has with a factor.
func (s standing) at(factor int) int64 { return max(s.base+int64(factor), 1) }

// sprioColumns are the columns of sprio: number, priority, site factor, and the parts of a priority.
const sprioColumns = "%i|%Y|%S|%A|%B|%F|%J|%P|%Q|%T|%N"

// readPriorities returns the standing of the jobs that wait for units. A job in several partitions has the highest.
func readPriorities(ctx context.Context, s Slurm) (map[int64]standing, error) {
	out, err := s.Call(ctx, "", "sprio", "-o", sprioColumns)
	if err != nil {
		return nil, err
	}
	list := map[int64]standing{}
	var columns []string
	for n, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		if strings.Contains(line, "|") {
			words = strings.Split(line, "|")
		}
		if n == 0 {
			columns = words
			continue
		}
		id, x, err := readStanding(columns, words)
		if err != nil {
			return nil, &CallError{Program: "sprio", Message: fmt.Sprintf("line %d: %v", n+1, err), Cause: err}
		}
		before, several := list[id]
		if several && before.priority > x.priority {
			x = before
		}
		x.several = several
		list[id] = x
	}
	return list, nil
}

// readStanding reads a line of sprio. The priority of a job whose sum is below 1 is 1; its base is then the sum of the
// parts, if they are listed.
func readStanding(columns, words []string) (id int64, x standing, err error) {
	get := func(name string) string {
		if i := slices.Index(columns, name); i >= 0 && i < len(words) {
			return strings.TrimSpace(words[i])
		}
		return ""
	}
	number := func(name string) int64 {
		n, bad := strconv.ParseInt(get(name), 10, 64)
		if bad != nil {
			err = errors.Join(err, fmt.Errorf("%s: expected a whole number, got %s", name, text.Quote([]byte(get(name)))))
		}
		return n
	}
	id = number("JOBID")
	x.priority = number("PRIORITY")
	x.factor = int(number("SITE"))
	x.base = x.priority - int64(x.factor)
	if get("AGE") == "" {
		return id, x, err
	}
	sum, any := int64(0), x.factor != 0
	for _, name := range []string{"AGE", "ASSOC", "FAIRSHARE", "JOBSIZE", "PARTITION", "QOS"} {
		if get(name) != "" {
			sum += number(name)
			any = any || number(name) != 0
		}
	}
	for part := range strings.SplitSeq(get("TRES"), ",") {
		_, amount, _ := strings.Cut(part, "=")
		n, _ := strconv.ParseInt(amount, 10, 64)
		sum += n
		any = any || n != 0
	}
	if get("NICE") != "" {
		sum -= number("NICE")
		any = any || number("NICE") != 0
	}
	x.fixed = !any && x.priority > 1
	if x.priority <= 1 {
		x.base = sum
	}
	return id, x, err
}

// Site is what the configuration of a cluster says.
type Site struct {
	Cluster    string
	Version    string
	Priorities string // PriorityType
	Plugin     string // PrioritySiteFactorPlugin; "": none
	Threshold  int64  // bf_min_prio_reserve; 0: every job may get a reservation
	Parameters string // SchedulerParameters; "": none
	Preempt    string // PreemptType
	Known      bool   // there was a configuration

	stated policy.Settings // of those that weigh ages, sizes and shares, and of SchedulerParameters
}

// Today returns a policy with the settings of the cluster that it knows, unless the scenario states its settings.
// Priorities of QOS and partitions are not among them.
func (s Site) Today(on *subject.Subject, p subject.Policy) subject.Policy {
	for _, listed := range on.Scenario.Policies {
		if listed.Name == p.Spec.Name && len(listed.Options) > 0 {
			return p
		}
	}
	given := policy.Settings{}
	for name, value := range s.stated {
		if _, err := p.Spec.Resolve(policy.Settings{name: value}); err == nil {
			given[name] = value
		}
	}
	all, err := p.Spec.Resolve(given)
	if err != nil {
		return p
	}
	return subject.Policy{Spec: p.Spec, Settings: all}
}

// readSite returns the configuration of the cluster.
func readSite(ctx context.Context, s Slurm) (Site, error) {
	var site Site
	out, err := s.Call(ctx, "", "scontrol", "show", "config")
	if err != nil {
		return site, err
	}
	site.stated = policy.Settings{}
	for line := range strings.SplitSeq(string(out), "\n") {
		key, value, _ := strings.Cut(line, "=")
		key, value = strings.TrimSpace(key), strings.TrimSpace(value)
		switch key {
		case "ClusterName":
			site.Cluster = value
		case "SLURM_VERSION":
			site.Version = value
		case "PriorityType":
			site.Priorities = value
		case "PrioritySiteFactorPlugin":
			if value != "(null)" && value != "none" && value != "site_factor/none" {
				site.Plugin = value
			}
		case "PreemptType":
			site.Preempt = value
		case "PriorityWeightAge", "PriorityWeightJobSize", "PriorityMaxAge", "PriorityDecayHalfLife", "PriorityFavorSmall":
			site.stated[key] = value
		case "PriorityWeightFairShare", "PriorityWeightFairshare": // scontrol writes the first
			site.stated["PriorityWeightFairshare"] = value
		case "PriorityCalcPeriod":
			seconds, _ := rules.ParseTime(value, 60)
			site.stated[key] = strconv.FormatInt(seconds/60, 10)
		case "SchedulerParameters":
			site.Known = true
			if value == "(null)" {
				break
			}
			site.Parameters = value
			for word := range strings.SplitSeq(value, ",") {
				name, number, valued := strings.Cut(strings.ToLower(strings.TrimSpace(word)), "=")
				if !valued {
					number = "true"
				}
				if site.stated[name] == "" { // Slurm takes the first of several
					site.stated[name] = number
				}
			}
			site.Threshold = threshold(site.stated[prioReserve])
			site.stated[prioReserve] = strconv.FormatInt(site.Threshold, 10)
		}
	}
	return site, nil
}

// threshold reads bf_min_prio_reserve as Slurm does: by its leading digits. It is 0, none, if Slurm does not take it.
func threshold(word string) int64 {
	digits := word[:len(word)-len(strings.TrimLeft(word, "0123456789"))]
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil {
		return 0
	}
	return int64(n)
}

// Limits of a controller that is busy: half of the threads that it has for requests, and messages that it could not
// yet send.
const (
	busyThreads  = 128
	busyMessages = 1000
)

// busy reports whether the controller has more to do than it manages.
func busy(ctx context.Context, s Slurm) (bool, error) {
	out, err := s.Call(ctx, "", "sdiag")
	if err != nil {
		return false, err
	}
	for line := range strings.SplitSeq(string(out), "\n") {
		key, value, _ := strings.Cut(line, ":")
		n, _ := strconv.Atoi(strings.TrimSpace(value))
		switch strings.TrimSpace(key) {
		case "Server thread count":
			if n >= busyThreads {
				return true, nil
			}
		case "Agent queue size":
			if n >= busyMessages {
				return true, nil
			}
		}
	}
	return false, nil
}

// pendingJob is a job that waits for anything.
type pendingJob struct {
	held     bool
	submit   float64 // Unix seconds
	restarts int
}

// pendingJobs returns all jobs that wait for anything.
func pendingJobs(ctx context.Context, s Slurm) (map[int64]pendingJob, error) {
	out, err := askQueue(ctx, s, "JobArrayID PriorityLong SubmitTime RestartCnt", "-a", "-h", "-t", "PENDING")
	if err != nil {
		return nil, err
	}
	list := map[int64]pendingJob{}
	for line := range strings.SplitSeq(string(out), "\n") {
		words := strings.Split(line+"||||", "|")
		id, err := strconv.ParseInt(strings.TrimSpace(words[0]), 10, 64)
		if err != nil {
			continue
		}
		x := pendingJob{held: strings.TrimSpace(words[1]) == "0"}
		x.submit, _ = slurm.ParseTime(strings.TrimSpace(words[2]), time.UTC)
		x.restarts, _ = strconv.Atoi(strings.TrimSpace(words[3]))
		list[id] = x
	}
	return list, nil
}

// mostSent is how many changes go into one call, so that its timeout suffices for a busy controller, too.
const mostSent = 2500

// send makes changes, in one call, or one for every mostSent of them. Only whole numbers reach the input. A job that has ended in the
// meantime makes the call fail, and the other changes are made: so the caller looks at what is there afterwards. After a
// call without an answer nothing more is sent.
func send(ctx context.Context, s Slurm, changes []Change) (failed error) {
	for part := range slices.Chunk(changes, mostSent) {
		err := sendPart(ctx, s, part)
		var call *CallError
		if err != nil && (!errors.As(err, &call) || call.Late) {
			return err
		}
		failed = cmp.Or(failed, err)
	}
	return failed
}

func sendPart(ctx context.Context, s Slurm, changes []Change) error {
	var input strings.Builder
	for _, c := range changes {
		fmt.Fprintf(&input, "update JobId=%d SiteFactor=%d\n", c.Job, c.Factor)
		if c.Hold {
			fmt.Fprintf(&input, "hold %d\n", c.Job)
		}
		if c.Release {
			fmt.Fprintf(&input, "release %d\n", c.Job)
		}
	}
	_, err := s.Call(ctx, input.String(), "scontrol")
	return err
}

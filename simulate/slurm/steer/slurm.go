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

// mostOutput is the most that a program of Slurm may print, bytes.
const mostOutput = 64 << 20

// outputError says that a program printed more than mostOutput.
type outputError struct{}

func (*outputError) Error() string {
	return fmt.Sprintf("expected at most %d MB of output", mostOutput>>20)
}

// limitedBuffer keeps at most mostOutput. It embeds no bytes.Buffer, whose ReadFrom would pass by Write.
type limitedBuffer struct {
	data []byte
	over bool
}

// Write implements io.Writer.
func (b *limitedBuffer) Write(p []byte) (int, error) {
	if len(b.data)+len(p) > mostOutput {
		b.over = true
		return 0, &outputError{}
	}
	b.data = append(b.data, p...)
	return len(p), nil
}

// Call implements Slurm. Times are in UTC, whatever the zone of the site, and lists of tasks are not cut.
func (p Programs) Call(ctx context.Context, input, program string, args ...string) ([]byte, error) {
	limited, stop := context.WithTimeout(ctx, p.Timeout)
	defer stop()
	c := exec.CommandContext(limited, program, args...)
	c.WaitDelay = time.Second
	c.Env = slices.DeleteFunc(os.Environ(), func(s string) bool {
		return slices.ContainsFunc([]string{"SQUEUE_", "SPRIO_", "SINFO_", "SACCT_"}, func(prefix string) bool {
			return strings.HasPrefix(s, prefix)
		})
	})
	c.Env = append(c.Env, "TZ=UTC", "LC_ALL=C", "SLURM_TIME_FORMAT=standard", "SLURM_BITSTR_LEN=0")
	c.Stdin = strings.NewReader(input)
	var out, errs limitedBuffer
	c.Stdout, c.Stderr = &out, &errs
	err := c.Run()
	if out.over {
		err = &outputError{}
	}
	if err == nil {
		return out.data, nil
	}
	first, _, _ := strings.Cut(strings.TrimSpace(string(errs.data)), "\n")
	if first == "" || out.over {
		first = err.Error()
	}
	late := limited.Err() != nil && ctx.Err() == nil
	return out.data, &CallError{Program: program, Late: late, Message: first, Cause: err}
}

// queueColumns are the columns of squeue that are read. Names and comments are not among them, but accounts are, which
// users write freely where Slurm does not enforce associations.
var queueColumns = []string{"JobArrayID", "JobID", "State", "UserName", "Account", "Partition", "QOS", "NumNodes",
	"NumCPUs", "SubmitTime", "EligibleTime", "StartTime", "TimeUsed", "TimeLimit", "PriorityLong", "Dependency",
	"Reservation", "HetJobID", "RestartCnt", "Reason"}

// askQueue returns the rows of squeue. Squeue ends its columns with a word that nobody knows beforehand: so an account
// with a bar or a new line makes no columns or rows of its own. It is an error if the answer is not whole: without a
// header, or with a row that lacks columns or an end.
func askQueue(ctx context.Context, s Slurm) (rows [][]string, err error) {
	end := "=" + rand.Text() + "="
	out, err := s.Call(ctx, "", "squeue", "-a", "-t", "all", "--array-unique",
		"-O", strings.Join(queueColumns, ":"+end+",")+":"+end)
	if err != nil {
		return nil, err
	}
	for n, row := range strings.SplitAfter(string(out), end+"\n") {
		cells := strings.Split(row, end)
		last := len(cells) - 1
		switch {
		case row == "" && n > 0:
			return rows[1:], nil
		case last != len(queueColumns) || cells[last] != "\n", n == 0 && !strings.EqualFold(cells[2], "STATE"):
			return nil, &CallError{Program: "squeue", Message: fmt.Sprintf("expected a header and rows of %d columns, and "+
				"the answer ends or differs in line %d", len(queueColumns), n+1)}
		}
		for i := range cells {
			cells[i] = strings.Map(plainRune, cells[i])
		}
		rows = append(rows, cells[:last])
	}
	return nil, &CallError{Program: "squeue", Message: "expected an answer that ends with a row"}
}

// plainRune returns a letter of a cell that neither ends it nor its row.
func plainRune(r rune) rune {
	if r == '|' || unicode.IsControl(r) {
		return unicode.ReplacementChar
	}
	return r
}

// listing is one whole answer of squeue.
type listing struct {
	*slurm.Rows
	records map[int64][]record // all that the controller knows, by the numbers by which they are updated
	whole   bool               // the number of every row could be read: other jobs are not there
}

// record is what squeue says of a job in any state, or of the tasks of an array that share a record.
type record struct {
	raw         int64  // number of the record, by which sprio lists it
	tasks       string // of an array that it stands for, such as 3 or [1-9:2%4]; "": it is of none
	waits, runs bool   // neither: it has ended
	submit      float64
	restarts    int
	held        bool
}

// mostTasks is the length of a list of tasks that scontrol takes in one line, bytes.
const mostTasks = 1000

// targets returns what to update so that a record of a job changes and no other record of it. The number of an array
// stands for all of its tasks, so the record that has this number is addressed by its tasks: one by one where the list
// has steps, which scontrol does not read. A list that cannot be read has no targets.
func (r record) targets(number int64) (list []string) {
	if r.raw != number || r.tasks == "" {
		return []string{strconv.FormatInt(r.raw, 10)}
	}
	tasks, ok := slurm.TaskList(r.tasks)
	if !ok {
		return nil
	}
	part := ""
	for i, task := range tasks {
		part += task
		if i == len(tasks)-1 || len(part) > mostTasks {
			list = append(list, fmt.Sprintf("%d_[%s]", number, part))
			part = ""
			continue
		}
		part += ","
	}
	return list
}

// running and ended are states of squeue. In others a job waits.
const (
	runningStates = " RUNNING COMPLETING CONFIGURING SUSPENDED STOPPED SIGNALING RESIZING STAGE_OUT "
	endedStates   = " BOOT_FAIL CANCELLED COMPLETED DEADLINE FAILED LAUNCH_FAILED NODE_FAIL OUT_OF_MEMORY PREEMPTED" +
		" RECONFIG_FAIL REVOKED TIMEOUT "
)

// readQueue returns the queue.
func readQueue(ctx context.Context, s Slurm) (*listing, error) {
	cells, err := askQueue(ctx, s)
	if err != nil {
		return nil, err
	}
	header := append([]string{"JobID", slurm.QueueRecord}, queueColumns[2:]...)
	l := &listing{Rows: slurm.ReadRows(header, cells), records: map[int64][]record{}, whole: true}
	for _, row := range cells {
		l.read(row)
	}
	return l, nil
}

// read adds a row.
func (l *listing) read(row []string) {
	get := func(name string) string { return strings.TrimSpace(row[slices.Index(queueColumns, name)]) }
	number, ok := slurm.JobNumber(get("JobArrayID"))
	raw, err := strconv.ParseInt(get("JobID"), 10, 64)
	if !ok || err != nil || raw <= 0 {
		l.whole = false
		return
	}
	x := record{raw: raw, held: get("PriorityLong") == "0"}
	_, x.tasks, _ = strings.Cut(get("JobArrayID"), "_")
	state := " " + get("State") + " "
	x.runs = strings.Contains(runningStates, state)
	x.waits = !x.runs && !strings.Contains(endedStates, state)
	x.submit, _ = slurm.ParseTime(get("SubmitTime"), time.UTC)
	x.restarts, _ = strconv.Atoi(get("RestartCnt"))
	l.add(number, x)
}

func (l *listing) add(number int64, x record) { l.records[number] = append(l.records[number], x) }

// standing is what sprio says of a job that waits for units.
type standing struct {
	priority int64   // that Slurm computed, at least 1
	factor   int     // the site factor
	base     int64   // the priority without the factor, which may be negative
	age      int64   // the part of it that is age, as Slurm computed it last
	several  bool    // it is in several partitions, each with a priority of its own
	lower    []int64 // its priorities in the others; the first is the highest
	fixed    bool    // an operator has set the priority: sprio then shows no parts of it, and no factor
}

// sprioColumns are the columns of sprio: number, priority, site factor, and the parts of a priority.
const sprioColumns = "%i|%Y|%S|%A|%B|%F|%J|%P|%Q|%T|%N"

// readPriorities returns the standing of the jobs that wait for units. A job in several partitions has the highest.
func readPriorities(ctx context.Context, s Slurm) (map[int64]standing, error) {
	out, err := s.Call(ctx, "", "sprio", "-o", sprioColumns)
	if err != nil {
		return nil, err
	}
	list := map[int64]standing{}
	if strings.HasPrefix(string(out), "Unable to find jobs") {
		return list, nil
	}
	if !bytes.HasSuffix(out, []byte("\n")) {
		return nil, &CallError{Program: "sprio", Message: "expected an answer that ends with a line"}
	}
	var columns []string
	for n, line := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		words := strings.Fields(line)
		if strings.Contains(line, "|") {
			words = strings.Split(line, "|")
		}
		if n == 0 {
			columns = words
			if !slices.Contains(columns, "JOBID") || !slices.Contains(columns, "SITE") {
				return nil, &CallError{Program: "sprio", Message: "expected a header with the columns JOBID and SITE, got " +
					text.Quote([]byte(line))}
			}
			continue
		}
		id, x, err := readStanding(columns, words)
		if err == nil && len(words) != len(columns) {
			err = fmt.Errorf("expected %d columns, got %d", len(columns), len(words))
		}
		if err != nil {
			return nil, &CallError{Program: "sprio", Message: fmt.Sprintf("line %d: %v", n+1, err), Cause: err}
		}
		before, several := list[id]
		if several {
			lower := append(before.lower, min(before.priority, x.priority))
			if before.priority > x.priority {
				x = before
			}
			x.lower = lower
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
	x.age = number("AGE")
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
	Accounting bool   // it keeps accounts of jobs

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
		case "AccountingStorageType":
			site.Accounting = value != "accounting_storage/none" && value != "(null)"
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

// unknown reports whether the controller says that it does not know the number of a job.
func unknown(ctx context.Context, s Slurm, number int64) (bool, error) {
	_, err := s.Call(ctx, "", "scontrol", "-o", "show", "job", strconv.FormatInt(number, 10))
	var call *CallError
	switch {
	case err == nil:
		return false, nil
	case errors.As(err, &call) && !call.Late && strings.Contains(call.Message, "Invalid job id"):
		return true, nil
	}
	return false, err
}

// unended returns those of some jobs of which the accounting of the cluster does not say that all tasks have ended. A
// job that it does not have is not among them.
func unended(ctx context.Context, s Slurm, numbers []int64) (map[int64]bool, error) {
	words := text.Each(numbers, func(n int64) string { return strconv.FormatInt(n, 10) })
	out, err := s.Call(ctx, "", "sacct", "-a", "-X", "-n", "-P", "-j", strings.Join(words, ","), "-o", "JobID,State")
	if err != nil {
		return nil, err
	}
	open := map[int64]bool{}
	for line := range strings.Lines(string(out)) {
		id, state, whole := strings.Cut(strings.TrimSuffix(line, "\n"), "|")
		state, _, _ = strings.Cut(state, " ") // CANCELLED by 1000
		number, ok := slurm.JobNumber(id)
		if !whole || !ok || !strings.HasSuffix(line, "\n") {
			return nil, &CallError{Program: "sacct", Message: "expected rows of a job and its state, got " +
				text.Quote([]byte(line))}
		}
		if !strings.Contains(endedStates, " "+state+" ") {
			open[number] = true
		}
	}
	return open, nil
}

// RightsError says that Slurm refused a change for want of rights.
type RightsError struct{ Cause error }

func (e *RightsError) Error() string {
	return "steer: operator rights are needed, and nothing was changed: sacctmgr modify user NAME set " +
		"adminlevel=operator: " + e.Cause.Error()
}

func (e *RightsError) Unwrap() error { return e.Cause }

// unentitled reports whether a run lacks rights.
func unentitled(err error) bool {
	var rights *RightsError
	return errors.As(err, &rights)
}

// denied reports whether a change was refused for want of rights. Slurm calls it an invalid user.
func denied(err error) bool {
	var call *CallError
	return errors.As(err, &call) && (strings.Contains(call.Message, "Invalid user id") ||
		strings.Contains(strings.ToLower(call.Message), "permission denied"))
}

// Pace of updates: so many in one call, and so many in a second. The controller rests at least as long as a call took.
const (
	updatesSent   = 25
	updatesSecond = 50
)

// send makes changes, in calls of a few, at most updatesSecond in a second and never more than half of the time. The
// first goes alone: if it is refused for want of rights, no other is sent; a later one that is refused so is refused for
// what it is. Only whole numbers reach the input. A job that has ended in the meantime makes a call fail, and the other
// changes are made: so the caller looks at what is there afterwards. After a call without an answer nothing more is sent.
func (s *Steerer) send(ctx context.Context, changes []Change) (failed error) {
	all := len(changes)
	for n := 1; len(changes) > 0; n = updatesSent {
		n = min(n, len(changes))
		begin := time.Now()
		err := s.sendPart(ctx, changes[:n])
		spent := time.Since(begin)
		var call *CallError
		switch {
		case denied(err) && len(changes) == all:
			return &RightsError{Cause: err}
		case err != nil && (!errors.As(err, &call) || call.Late), ctx.Err() != nil:
			return cmp.Or(err, ctx.Err())
		}
		failed = cmp.Or(failed, err)
		changes = changes[n:]
		if len(changes) > 0 {
			s.rest(ctx, max(time.Duration(n)*time.Second/updatesSecond-spent, spent))
		}
	}
	return failed
}

// rest waits.
func (s *Steerer) rest(ctx context.Context, d time.Duration) {
	if s.Rest != nil {
		s.Rest(d)
		return
	}
	select {
	case <-ctx.Done():
	case <-time.After(d):
	}
}

// sendPart makes changes in one call.
func (s *Steerer) sendPart(ctx context.Context, changes []Change) error {
	s.writes++
	var input strings.Builder
	for _, c := range changes {
		if len(c.targets) == 0 {
			c.targets = []string{strconv.FormatInt(c.Job, 10)}
		}
		s.updates += len(c.targets)
		for _, target := range c.targets {
			fmt.Fprintf(&input, "update JobId=%s SiteFactor=%d\n", target, c.Factor)
		}
		if c.Release {
			fmt.Fprintf(&input, "release %d\n", c.Job)
		}
	}
	_, err := s.Call(ctx, input.String(), "scontrol")
	return err
}

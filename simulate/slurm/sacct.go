package slurm

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"revopt/internal/text"
)

// sacctColumns are the columns of sacct that are used, and one that holds no delimiter.
var sacctColumns = []string{
	"JobID", "JobIDRaw", "Cluster", "User", "UID", "Group", "GID", "Account", "Partition", "QOS",
	"Submit", "Eligible", "Start", "End", "Elapsed", "ElapsedRaw", "Suspended", "Timelimit", "TimelimitRaw",
	"NCPUS", "AllocCPUS", "ReqCPUS", "NNodes", "AllocNodes", "ReqNodes", "ReqTRES", "AllocTRES",
	"ReqMem", "State", "Dependency",
}

// sacctTable is the header of an output of sacct.
type sacctTable struct {
	delimiter byte
	at        map[string]int // of the columns that it has
	free      []int          // columns that are not used and may hold any text
	count     int
}

// newSacctTable reads a header, and names the columns that are missing.
func newSacctTable(line string, units *Units) (*sacctTable, string) {
	t := &sacctTable{delimiter: '|', at: map[string]int{}}
	for _, d := range []byte("\t,;|") {
		if strings.IndexByte(line, d) >= 0 {
			t.delimiter = d // of several, the last of this list
		}
	}
	names := strings.Split(line, string(t.delimiter))
	t.count = len(names)
	for place, name := range slices.Backward(names) {
		same := func(known string) bool { return strings.EqualFold(strings.TrimSpace(name), known) }
		if c := slices.IndexFunc(sacctColumns, same); c >= 0 {
			t.at[sacctColumns[c]] = place // of two, the first
		} else {
			t.free = append(t.free, place)
		}
	}
	slices.Reverse(t.free)
	var missing []string
	need := func(wanted bool, what string, columns ...string) {
		if wanted && !t.has(columns...) {
			missing = append(missing, what)
		}
	}
	need(true, "JobID", "JobID", "JobIDRaw")
	need(true, "Submit", "Submit", "Eligible")
	need(!t.has("Start") || !t.has("End"), "Start and End (or Elapsed)", "Elapsed", "ElapsedRaw")
	need(units.is(node), "NNodes (or AllocTRES)", "NNodes", "AllocNodes", "ReqNodes", "AllocTRES", "ReqTRES")
	need(units.is(cpu), "NCPUS (or AllocTRES)", "NCPUS", "AllocCPUS", "ReqCPUS", "AllocTRES", "ReqTRES")
	need(units.is(gpu, billing), "AllocTRES (or ReqTRES)", "AllocTRES", "ReqTRES")
	return t, strings.Join(missing, ", ")
}

// has reports whether the table has one of some columns.
func (t *sacctTable) has(columns ...string) bool {
	return slices.ContainsFunc(columns, func(c string) bool { _, ok := t.at[c]; return ok })
}

// isHeader reports whether a line names columns.
func isHeader(fields [][]byte) bool {
	named := func(names ...string) bool {
		known := func(f []byte) bool { return slices.Contains(names, string(bytes.TrimSpace(f))) }
		return slices.ContainsFunc(fields, known)
	}
	return named("JobID", "JobIDRaw") && named("Submit", "Eligible")
}

// field returns the text of a column, nil if it is missing.
func (t *sacctTable) field(fields [][]byte, column string) []byte {
	if place, ok := t.at[column]; ok {
		return bytes.TrimSpace(fields[place])
	}
	return nil
}

// id returns the number of the job, nil if the line is too short.
func (t *sacctTable) id(fields [][]byte) []byte {
	if len(fields) < t.count {
		return nil
	}
	name := t.field(fields, "JobID")
	if base, step, joint := cutComponent(name); joint {
		return slices.Concat(base, step)
	}
	return orElse(t.field(fields, "JobIDRaw"), name)
}

// cutComponent cuts the name of a component of a heterogeneous job, such as 12+1.batch, into the number of the job and the
// step with its point.
func cutComponent(name []byte) (base, step []byte, ok bool) {
	base, rest, ok := bytes.Cut(name, []byte("+"))
	if i := bytes.IndexByte(rest, '.'); i >= 0 {
		step = rest[i:]
	}
	return base, step, ok && plainNumber(base) >= 0
}

// digit reports whether a word begins with a digit.
func digit(word []byte) bool { return len(word) > 0 && word[0] >= '0' && word[0] <= '9' }

// readSacct reads the output of sacct --parsable2, or --parsable, with its
// header. The columns may come in any order.
func (m *importer) readSacct() error {
	var table *sacctTable
	var fields [][]byte
	return m.each(func(line []byte) error {
		var id []byte
		if table != nil {
			fields = split(fields[:0], line, table.delimiter)
			id = table.id(fields)
		}
		if table == nil || !digit(id) && isHeader(fields) {
			if table != nil {
				m.count(headings)
			} else {
				m.rows = 0 // without the first header
			}
			var missing string
			table, missing = newSacctTable(string(line), m.units)
			if missing != "" {
				if !table.has("JobID", "JobIDRaw") {
					return m.lines.Errorf("expected the header of sacct --parsable2, "+
						"such as JobID|Submit|Start|End|NCPUS|State, got %s", text.Quote(line))
				}
				return m.lines.Errorf("expected more columns of sacct: %s missing", missing)
			}
			return nil
		}
		return m.sacctLine(table, fields, id)
	})
}

// split cuts a line at every delimiter.
func split(fields [][]byte, line []byte, delimiter byte) [][]byte {
	for {
		i := bytes.IndexByte(line, delimiter)
		if i < 0 {
			return append(fields, line)
		}
		fields, line = append(fields, line[:i]), line[i+1:]
	}
}

// sacctLine reads a line. If it has more fields than the header, an unused text
// holds delimiters: the first text that lets the other columns fit.
func (m *importer) sacctLine(t *sacctTable, fields [][]byte, id []byte) error {
	extra := len(fields) - t.count
	switch {
	case extra < 0:
		m.refuse(fmt.Sprintf("expected %d fields, got %d", t.count, len(fields)))
		return nil
	case extra == 0 && m.sacctStep(t, fields, id):
		return nil
	case extra == 0:
		var j logJob
		return m.take(&j, m.sacctJob(t, fields, id, &j))
	}
	for _, place := range t.free {
		joint := slices.Concat(fields[:place+1], fields[place+1+extra:])
		id := t.id(joint)
		var j logJob
		why := m.sacctJob(t, joint, id, &j)
		if why != "" || t.has("State") && j.state == stateUnknown && len(t.field(joint, "User")) > 0 {
			continue
		}
		if m.sacctStep(t, joint, id) {
			return nil
		}
		j.fates.add(joined)
		return m.add(&j)
	}
	m.refuse(fmt.Sprintf("expected %d fields, got %d, and no text that the others could be part of",
		t.count, len(fields)))
	return nil
}

// sacctStep reports whether a line is of a job step, and notes the step if its
// job is not that of the line before.
func (m *importer) sacctStep(t *sacctTable, fields [][]byte, id []byte) bool {
	base, _, step := bytes.Cut(id, []byte("."))
	if step {
		m.count(steps)
	}
	if step && !bytes.Equal(base, m.last) {
		m.mark(markStep, plainNumber(base), base, t.field(fields, "Cluster"))
	}
	m.last = append(m.last[:0], base...)
	return step
}

// sacctJob reads a line into a job, and returns why it cannot.
func (m *importer) sacctJob(t *sacctTable, fields [][]byte, id []byte, j *logJob) string {
	const time = "a time such as 2026-11-15T08:46:57"
	get := func(c string) []byte { return t.field(fields, c) }
	r := fieldReader{get: get, clock: &m.clock, time: time}
	j.id = id
	if !digit(j.id) {
		return "JobID: expected a number, got " + text.Quote(j.id)
	}
	j.number = int64(plainNumber(j.id))
	name, alloc := get("JobID"), get("AllocTRES")
	array, _, task := bytes.Cut(name, []byte("_"))
	j.last = task && bytes.Equal(array, j.id)
	if _, offset, joint := bytes.Cut(name, []byte("+")); joint {
		j.component = 1 + int(max(plainNumber(offset), 0))
	}
	j.owner = get("Cluster")
	j.state = parseState(get("State"))
	if j.state == stateUnknown && !t.has("State") {
		j.state = stateDone
	}
	j.submit = r.when("Submit")
	j.eligible = r.when("Eligible")
	j.start = r.when("Start")
	j.end = r.when("End")
	if j.submit == 0 && j.eligible == 0 {
		r.fail("Submit", time)
	}
	j.barred = j.eligible == 0 && t.has("Eligible")
	j.elapsed, j.limit = -1, -1
	for i, c := range []string{"Elapsed", "ElapsedRaw", "Timelimit", "TimelimitRaw"} {
		switch {
		case len(get(c)) == 0:
		case i < 2:
			j.elapsed = int64(r.span(c, 1, "a time such as 1-02:03:04"))
		default:
			j.limit = r.span(c, 60, "a time such as 1-02:03:04")
		}
	}
	if len(get("Suspended")) > 0 {
		j.suspended = int64(max(r.span("Suspended", 1, "a time such as 1-02:03:04"), 0))
	}
	if !j.readTRES(&j.alloc, alloc) {
		r.fail("AllocTRES", amountsForm)
	}
	if !j.readTRES(&j.asked, get("ReqTRES")) {
		r.fail("ReqTRES", amountsForm)
	}
	ncpus, nnodes := r.whole("NCPUS"), r.whole("NNodes")
	j.alloc[cpu] = cmp.Or(j.alloc[cpu], r.whole("AllocCPUS"), ncpus)
	j.alloc[node] = cmp.Or(j.alloc[node], r.whole("AllocNodes"), nnodes)
	j.asked[cpu] = cmp.Or(j.asked[cpu], r.whole("ReqCPUS"), ncpus)
	j.asked[node] = cmp.Or(j.asked[node], r.whole("ReqNodes"), nnodes)
	j.user, j.group = orElse(get("User"), get("UID")), orElse(get("Group"), get("GID"))
	j.account, j.partition, j.queue = get("Account"), get("Partition"), get("QOS")
	// A job canceled while it waits may have a start: the time of the cancel.
	nothing := len(alloc) == 0
	j.never = nothing && j.state == stateCanceled && j.end == j.start && j.elapsed <= 0 ||
		nothing && t.has("AllocTRES") && j.elapsed == 0 && j.state != stateDone
	if d := get("Dependency"); len(d) > 0 && !unknown(d) {
		j.fates.add(dependent)
	}
	if bytes.Contains(name, []byte("_[")) {
		j.fates.add(tasks)
	}
	return r.why
}

// orElse returns the first text unless it is empty.
func orElse(a, b []byte) []byte {
	if len(a) > 0 {
		return a
	}
	return b
}

// parseState reads a state of Slurm, such as "CANCELLED by 1001".
func parseState(word []byte) jobState {
	word, _, _ = bytes.Cut(word, []byte(" "))
	word = bytes.TrimSuffix(word, []byte("+"))
	switch string(word) {
	case "COMPLETED", "CD":
		return stateDone
	case "FAILED", "F", "TIMEOUT", "TO", "NODE_FAIL", "NF", "OUT_OF_MEMORY", "OUT_OF_ME", "OOM", "BOOT_FAIL", "BF",
		"DEADLINE", "DL", "PREEMPTED", "PR", "LAUNCH_FAILED", "RECONFIG_FAIL":
		return stateFailed
	case "CANCELLED", "CA", "REVOKED", "RV":
		return stateCanceled
	case "REQUEUED", "RQ", "REQUEUE_HOLD", "RH", "REQUEUE_FED", "RF", "SPECIAL_EXIT", "SE":
		return stateRequeued
	case "PENDING", "PD", "RUNNING", "R", "SUSPENDED", "S", "CONFIGURING", "CF", "COMPLETING", "CG", "RESIZING", "RS",
		"STOPPED", "ST", "SIGNALING", "SI", "STAGE_OUT", "SO", "RESV_DEL_HOLD", "RD":
		return stateOpen
	}
	return stateUnknown
}

// readTRES reads a list such as billing=4,cpu=4,gres/gpu=1,mem=8G,node=2. GPUs by type
// count if their sum is not listed; other gres are noted as accelerators. It reports whether all counts of cores, nodes
// and GPUs are numbers.
func (j *logJob) readTRES(r *resources, list []byte) bool {
	typed, read := 0.0, true
	for len(list) > 0 {
		var part []byte
		part, list, _ = bytes.Cut(list, []byte(","))
		key, value, _ := bytes.Cut(part, []byte("="))
		n, ok := parseCount(value)
		counted := string(key) == "cpu" || string(key) == "node" || bytes.HasPrefix(key, []byte("gres/gpu"))
		read = read && (ok || !counted)
		switch {
		case string(key) == "cpu":
			r[cpu] = n
		case string(key) == "node":
			r[node] = n
		case string(key) == "gres/gpu":
			r[gpu] = n
		case bytes.HasPrefix(key, []byte("gres/gpu:")):
			typed += n
		case bytes.HasPrefix(key, []byte("gres/")) && n > 0:
			j.fates.add(accelerated)
		case string(key) == "billing":
			r[billing], _ = parseAmount(string(value))
		}
	}
	r[gpu] = cmp.Or(r[gpu], typed)
	return read
}

// amountsForm is how the resources of a job are written.
const amountsForm = "amounts such as cpu=4,node=2,gres/gpu=1"

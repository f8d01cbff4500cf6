package slurm

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"revopt/internal/text"
)

// column is a column of sacct that is used, an index of columnNames.
type column int

const (
	colJobID column = iota
	colJobIDRaw
	colCluster
	colUser
	colUID
	colGroup
	colGID
	colAccount
	colPartition
	colQOS
	colSubmit
	colEligible
	colStart
	colEnd
	colElapsed
	colElapsedRaw
	colTimelimit
	colTimelimitRaw
	colNCPUS
	colAllocCPUS
	colReqCPUS
	colNNodes
	colAllocNodes
	colReqNodes
	colReqTRES
	colAllocTRES
	colReqMem
	colState
	colDependency
	columnCount
)

var columnNames = [columnCount]string{
	"JobID", "JobIDRaw", "Cluster", "User", "UID", "Group", "GID", "Account", "Partition", "QOS",
	"Submit", "Eligible", "Start", "End", "Elapsed", "ElapsedRaw", "Timelimit", "TimelimitRaw",
	"NCPUS", "AllocCPUS", "ReqCPUS", "NNodes", "AllocNodes", "ReqNodes", "ReqTRES", "AllocTRES",
	"ReqMem", "State", "Dependency",
}

func (c column) String() string { return columnNames[c] }

// sacctTable is the header of an output of sacct.
type sacctTable struct {
	delimiter []byte
	at        [columnCount]int // -1 if the column is missing
	free      []int            // columns that are not used and may hold any text
	count     int
}

// newSacctTable reads a header, and names the columns that are missing.
func newSacctTable(line string, units *Units) (*sacctTable, string) {
	delimiter := "|"
	for _, d := range []string{"|", ";", ",", "\t"} {
		if strings.Contains(line, d) {
			delimiter = d
			break
		}
	}
	t := &sacctTable{delimiter: []byte(delimiter)}
	for i := range t.at {
		t.at[i] = -1
	}
	names := strings.Split(line, delimiter)
	t.count = len(names)
	for place, name := range names {
		used := false
		for c, known := range columnNames {
			if strings.EqualFold(strings.TrimSpace(name), known) {
				used = true
				if t.at[c] < 0 {
					t.at[c] = place
				}
			}
		}
		if !used {
			t.free = append(t.free, place)
		}
	}
	var missing []string
	need := func(what string, columns ...column) {
		if !t.has(columns...) {
			missing = append(missing, what)
		}
	}
	need("JobID", colJobID, colJobIDRaw)
	need("Submit", colSubmit, colEligible)
	if !t.has(colStart) || !t.has(colEnd) {
		need("Start and End (or Elapsed)", colElapsed, colElapsedRaw)
	}
	if units.uses[node] {
		need("NNodes (or AllocTRES)", colNNodes, colAllocNodes, colReqNodes, colAllocTRES, colReqTRES)
	}
	if units.uses[cpu] {
		need("NCPUS (or AllocTRES)", colNCPUS, colAllocCPUS, colReqCPUS, colAllocTRES, colReqTRES)
	}
	if units.uses[gpu] || units.uses[billing] {
		need("AllocTRES (or ReqTRES)", colAllocTRES, colReqTRES)
	}
	if units.uses[mem] {
		need("AllocTRES (or ReqTRES or ReqMem)", colAllocTRES, colReqTRES, colReqMem)
	}
	return t, strings.Join(missing, ", ")
}

// has reports whether the table has one of some columns.
func (t *sacctTable) has(columns ...column) bool {
	return slices.ContainsFunc(columns, func(c column) bool { return t.at[c] >= 0 })
}

// isHeader reports whether a line names columns.
func isHeader(fields [][]byte) bool {
	named := func(names ...column) bool {
		return slices.ContainsFunc(fields, func(f []byte) bool {
			return slices.ContainsFunc(names, func(c column) bool { return string(bytes.TrimSpace(f)) == columnNames[c] })
		})
	}
	return named(colJobID, colJobIDRaw) && named(colSubmit, colEligible)
}

// field returns the text of a column, nil if it is missing.
func (t *sacctTable) field(fields [][]byte, c column) []byte {
	if t.at[c] < 0 {
		return nil
	}
	return bytes.TrimSpace(fields[t.at[c]])
}

// id returns the number of the job, nil if the line is too short.
func (t *sacctTable) id(fields [][]byte) []byte {
	if len(fields) < t.count {
		return nil
	}
	return orElse(t.field(fields, colJobIDRaw), t.field(fields, colJobID))
}

// digit reports whether a word begins with a digit.
func digit(word []byte) bool { return len(word) > 0 && word[0] >= '0' && word[0] <= '9' }

// readSacct reads the output of sacct --parsable2, or --parsable, with its
// header. The columns may come in any order.
func (m *importer) readSacct() error {
	var table *sacctTable
	var fields [][]byte
	return m.each(func(line []byte) error {
		if table != nil {
			fields = split(fields[:0], line, table.delimiter[0])
		}
		if table == nil || !digit(table.id(fields)) && isHeader(fields) {
			if table != nil {
				m.count(headings)
			}
			var missing string
			if table, missing = newSacctTable(string(line), m.units); missing != "" {
				if !table.has(colJobID, colJobIDRaw) {
					return m.lines.Errorf("expected the header of sacct --parsable2, "+
						"such as JobID|Submit|Start|End|NCPUS|State, got %s", text.Quote(line))
				}
				return m.lines.Errorf("expected more columns of sacct: %s missing", missing)
			}
			return nil
		}
		return m.sacctLine(table, fields)
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
func (m *importer) sacctLine(t *sacctTable, fields [][]byte) error {
	extra := len(fields) - t.count
	if extra < 0 {
		m.rows++
		m.refuse("expected %d fields, got %d", t.count, len(fields))
		return nil
	}
	var j logJob
	if extra == 0 {
		if step, err := m.sacctStep(t, fields); step || err != nil {
			return err
		}
		m.rows++
		if why := m.sacctJob(t, fields, &j); why != "" {
			m.refuse("%s", why)
			return nil
		}
		return m.add(&j)
	}
	for _, place := range t.free {
		joint := append(append([][]byte{}, fields[:place+1]...), fields[place+1+extra:]...)
		j = logJob{}
		why := m.sacctJob(t, joint, &j)
		if why != "" || t.has(colState) && j.state == stateUnknown && len(t.field(joint, colUser)) > 0 {
			continue
		}
		if step, err := m.sacctStep(t, joint); step || err != nil {
			return err
		}
		m.rows++
		j.fates.add(joined)
		return m.add(&j)
	}
	m.rows++
	m.refuse("expected %d fields, got %d, and no text that the others could be part of", t.count, len(fields))
	return nil
}

// sacctStep reports whether a line is of a job step, and notes the step if its
// job is not that of the line before.
func (m *importer) sacctStep(t *sacctTable, fields [][]byte) (bool, error) {
	id := t.id(fields)
	base, _, step := bytes.Cut(id, []byte("."))
	if !step {
		m.last = append(m.last[:0], id...)
		return false, nil
	}
	m.count(steps)
	if bytes.Equal(base, m.last) {
		return true, nil
	}
	m.last = append(m.last[:0], base...)
	return true, m.mark(markStep, plainNumber(base), base, t.field(fields, colCluster))
}

// sacctJob reads a line into a job, and returns why it cannot.
func (m *importer) sacctJob(t *sacctTable, fields [][]byte, j *logJob) string {
	const time = "a time such as 2026-11-15T08:46:57"
	get := func(c column) []byte { return t.field(fields, c) }
	r := fieldReader[column]{get: get, clock: &m.clock, time: time}
	if j.id = t.id(fields); !digit(j.id) {
		return "JobID: expected a number, got " + text.Quote(j.id)
	}
	j.number = int64(plainNumber(j.id))
	array, _, task := bytes.Cut(get(colJobID), []byte("_"))
	j.last = task && bytes.Equal(array, j.id)
	j.owner = get(colCluster)
	j.state = parseState(get(colState))
	if !t.has(colState) {
		j.state = stateDone
	}
	j.submit, j.eligible, j.start, j.end = r.when(colSubmit), r.when(colEligible), r.when(colStart), r.when(colEnd)
	if j.submit == 0 && j.eligible == 0 {
		r.fail(colSubmit, time)
	}
	j.barred = t.has(colEligible) && j.eligible == 0
	j.elapsed, j.limit = -1, -1
	for _, c := range []column{colElapsed, colElapsedRaw, colTimelimit, colTimelimitRaw} {
		switch {
		case len(get(c)) == 0:
		case c >= colTimelimit:
			j.limit = r.span(c, 60, "a time such as 1-02:03:04")
		default:
			j.elapsed = int64(r.span(c, 1, "a time such as 1-02:03:04"))
		}
	}
	j.readTRES(&j.alloc, get(colAllocTRES))
	j.readTRES(&j.asked, get(colReqTRES))
	ncpus, nnodes := r.whole(colNCPUS), r.whole(colNNodes)
	j.alloc[cpu] = cmp.Or(j.alloc[cpu], r.whole(colAllocCPUS), ncpus)
	j.alloc[node] = cmp.Or(j.alloc[node], r.whole(colAllocNodes), nnodes)
	j.asked[cpu] = cmp.Or(j.asked[cpu], r.whole(colReqCPUS), ncpus)
	j.asked[node] = cmp.Or(j.asked[node], r.whole(colReqNodes), nnodes)
	j.asked[mem] = cmp.Or(j.asked[mem], parseMemory(string(get(colReqMem)), j.asked[node], j.asked[cpu]))
	j.user, j.group = orElse(get(colUser), get(colUID)), orElse(get(colGroup), get(colGID))
	j.account, j.partition, j.queue = get(colAccount), get(colPartition), get(colQOS)
	// A job canceled while it waits may have a start: the time of the cancel.
	nothing := len(get(colAllocTRES)) == 0
	j.never = nothing && j.state == stateCanceled && j.end == j.start && j.elapsed <= 0 ||
		nothing && t.has(colAllocTRES) && j.elapsed == 0 && j.state != stateDone
	if d := get(colDependency); len(d) > 0 && !unknown(d) {
		j.fates.add(dependent)
	}
	if bytes.Contains(get(colJobID), []byte("_[")) {
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
// count if their sum is not listed; other gres are noted as accelerators.
func (j *logJob) readTRES(r *resources, list []byte) {
	typed := 0.0
	for len(list) > 0 {
		var part []byte
		part, list, _ = bytes.Cut(list, []byte(","))
		key, value, _ := bytes.Cut(part, []byte("="))
		n, _ := parseCount(value)
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
		case string(key) == "mem":
			r[mem] = parseMemory(string(value), 1, 1)
		case string(key) == "billing":
			r[billing], _ = parseAmount(string(value))
		}
	}
	r[gpu] = cmp.Or(r[gpu], typed)
}

package workload

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
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
	colState
	colDependency
	columnCount
)

var columnNames = [columnCount]string{
	"JobID", "JobIDRaw", "Cluster", "User", "UID", "Group", "GID", "Account", "Partition", "QOS", "Submit", "Eligible", "Start", "End",
	"Elapsed", "ElapsedRaw", "Timelimit", "TimelimitRaw", "NCPUS", "AllocCPUS", "ReqCPUS", "NNodes", "AllocNodes", "ReqNodes", "ReqTRES", "AllocTRES",
	"State", "Dependency",
}

// sacctTable is the header of an output of sacct.
type sacctTable struct {
	delimiter []byte
	at        [columnCount]int // -1 where the column is missing
	free      []int            // columns that are not used, and may hold any text
	count     int
}

// newSacctTable reads a header, and names the columns that are missing.
func newSacctTable(line string, byNodes bool) (*sacctTable, string) {
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
	has := func(columns ...column) bool {
		for _, c := range columns {
			if t.at[c] >= 0 {
				return true
			}
		}
		return false
	}
	var missing []string
	need := func(ok bool, what string) {
		if !ok {
			missing = append(missing, what)
		}
	}
	need(has(colJobID, colJobIDRaw), "JobID")
	need(has(colSubmit, colEligible), "Submit")
	need(has(colElapsed, colElapsedRaw) || has(colStart) && has(colEnd), "Start and End (or Elapsed)")
	if byNodes {
		need(has(colNNodes, colAllocNodes, colReqNodes, colAllocTRES, colReqTRES), "NNodes (or AllocTRES)")
	} else {
		need(has(colNCPUS, colAllocCPUS, colReqCPUS, colAllocTRES, colReqTRES), "NCPUS (or AllocTRES)")
	}
	return t, strings.Join(missing, ", ")
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

// field returns the text of a column, nil where it is missing.
func (t *sacctTable) field(fields [][]byte, c column) []byte {
	if t.at[c] < 0 {
		return nil
	}
	return bytes.TrimSpace(fields[t.at[c]])
}

// id returns the number of the job, nil where the line is too short.
func (t *sacctTable) id(fields [][]byte) []byte {
	if len(fields) < t.count {
		return nil
	}
	return orElse(t.field(fields, colJobIDRaw), t.field(fields, colJobID))
}

// digit reports whether a word begins with a digit.
func digit(word []byte) bool { return len(word) > 0 && word[0] >= '0' && word[0] <= '9' }

// readSacct reads the output of sacct --parsable2, or --parsable, with its
// header: any columns, in any order, of which there are enough.
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
			header := string(line)
			if table, missing = newSacctTable(header, m.options.ByNodes); missing != "" {
				if table.at[colJobID] < 0 && table.at[colJobIDRaw] < 0 {
					return m.lines.errorf("expected the header of sacct --parsable2, such as JobID|Submit|Start|End|NCPUS|State, got %s", quote(line))
				}
				return m.lines.errorf("expected more columns of sacct: %s missing", missing)
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

// sacctLine reads a line. Where it has more fields than the header, a text that
// is not used holds delimiters: the first that lets the others fit.
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
		if m.sacctJob(t, joint, &j) != "" || t.at[colState] >= 0 && j.state == stateUnknown && len(t.field(joint, colUser)) > 0 {
			continue
		}
		if step, err := m.sacctStep(t, joint); step || err != nil {
			return err
		}
		m.rows++
		j.fates |= joined.bit()
		return m.add(&j)
	}
	m.rows++
	m.refuse("expected %d fields, got %d, and no text that the others could be part of", t.count, len(fields))
	return nil
}

// sacctStep reports whether a line is of a job step, and notes it where its job
// is not that of the line before.
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

// sacctJob reads a line into a job, and says why it cannot.
func (m *importer) sacctJob(t *sacctTable, fields [][]byte, j *logJob) string {
	get := func(c column) []byte { return t.field(fields, c) }
	why := ""
	fail := func(c column, want string) {
		if why == "" {
			why = fmt.Sprintf("%s: expected %s, got %s", columnNames[c], want, quote(get(c)))
		}
	}
	when := func(c column) int64 {
		x, ok := m.clock.parse(get(c))
		if !ok {
			fail(c, "a time such as 2026-11-15T08:46:57")
		}
		return x
	}
	whole := func(c column) int {
		n, ok := parseCount(get(c))
		if !ok {
			fail(c, "a whole number")
		}
		return n
	}
	if j.id = t.id(fields); !digit(j.id) {
		return "JobID: expected a number, got " + quote(j.id)
	}
	j.number = int64(plainNumber(j.id))
	array, _, task := bytes.Cut(get(colJobID), []byte("_"))
	j.last = task && bytes.Equal(array, j.id)
	j.owner = get(colCluster)
	j.state = parseState(get(colState))
	if t.at[colState] < 0 {
		j.state = stateDone
	}
	j.submit, j.eligible, j.start, j.end = when(colSubmit), when(colEligible), when(colStart), when(colEnd)
	if j.submit == 0 && j.eligible == 0 {
		fail(colSubmit, "a time such as 2026-11-15T08:46:57")
	}
	j.barred = t.at[colEligible] >= 0 && j.eligible == 0
	j.elapsed = -1
	j.limit = -1
	for _, c := range []column{colElapsed, colElapsedRaw, colTimelimit, colTimelimitRaw} {
		raw, limit := get(c), c >= colTimelimit
		if len(raw) == 0 {
			continue
		}
		unit := 1.0
		if limit {
			unit = 60
		}
		switch x, ok := parseSpan(raw, unit); {
		case !ok:
			fail(c, "a time such as 1-02:03:04")
		case limit:
			j.limit = x
		default:
			j.elapsed = int64(x)
		}
	}
	allocTRES, askedTRES := parseTRES(get(colAllocTRES)), parseTRES(get(colReqTRES))
	ncpus, nnodes := whole(colNCPUS), whole(colNNodes)
	j.alloc = cmp.Or(allocTRES.cpus, whole(colAllocCPUS), ncpus)
	j.nodes = cmp.Or(allocTRES.nodes, whole(colAllocNodes), nnodes)
	j.asked = cmp.Or(askedTRES.cpus, whole(colReqCPUS), ncpus)
	j.askedNodes = cmp.Or(askedTRES.nodes, whole(colReqNodes), nnodes)
	if allocTRES.gpus+askedTRES.gpus > 0 {
		j.fates |= accelerated.bit()
	}
	j.user, j.group = orElse(get(colUser), get(colUID)), orElse(get(colGroup), get(colGID))
	j.account, j.partition, j.queue = get(colAccount), get(colPartition), get(colQOS)
	// A job canceled while it waits may have a start: the time of the cancel.
	empty := t.at[colAllocTRES] < 0 || len(get(colAllocTRES)) == 0
	j.never = empty && j.state == stateCanceled && j.end == j.start && j.elapsed <= 0 ||
		t.at[colAllocTRES] >= 0 && empty && j.elapsed == 0 && j.state != stateDone
	if d := get(colDependency); len(d) > 0 && !unknownWord(d) {
		j.fates |= dependent.bit()
	}
	if bytes.Contains(get(colJobID), []byte("_[")) {
		j.fates |= tasks.bit()
	}
	return why
}

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
	case "FAILED", "F", "TIMEOUT", "TO", "NODE_FAIL", "NF", "OUT_OF_MEMORY", "OUT_OF_ME", "OOM", "BOOT_FAIL", "BF", "DEADLINE", "DL", "PREEMPTED", "PR", "LAUNCH_FAILED", "RECONFIG_FAIL":
		return stateFailed
	case "CANCELLED", "CA", "REVOKED", "RV":
		return stateCanceled
	case "REQUEUED", "RQ", "REQUEUE_HOLD", "RH", "REQUEUE_FED", "RF", "SPECIAL_EXIT", "SE":
		return stateRequeued
	case "PENDING", "PD", "RUNNING", "R", "SUSPENDED", "S", "CONFIGURING", "CF", "COMPLETING", "CG", "RESIZING", "RS", "STOPPED", "ST", "SIGNALING", "SI", "STAGE_OUT", "SO", "RESV_DEL_HOLD", "RD":
		return stateOpen
	}
	return stateUnknown
}

// tres is a list of trackable resources: what of it is used.
type tres struct{ cpus, nodes, gpus int }

// parseTRES reads a list such as billing=4,cpu=4,gres/gpu=1,node=2.
func parseTRES(list []byte) tres {
	var t tres
	for len(list) > 0 {
		var part []byte
		part, list, _ = bytes.Cut(list, []byte(","))
		key, value, _ := bytes.Cut(part, []byte("="))
		n, _ := parseCount(value)
		switch {
		case string(key) == "cpu":
			t.cpus = n
		case string(key) == "node":
			t.nodes = n
		case bytes.HasPrefix(key, []byte("gres/")):
			t.gpus += n
		}
	}
	return t
}

// unknownWord reports whether a word stands for nothing.
func unknownWord(word []byte) bool {
	switch string(word) {
	case "", "Unknown", "None", "N/A", "(null)", "NONE", "INVALID", "Partition_Limit", "UNLIMITED", "0":
		return true
	}
	return false
}

// parseCount reads a whole number from 0 to 2^30, 0 where it is unknown.
func parseCount(word []byte) (int, bool) {
	if unknownWord(word) {
		return 0, true
	}
	n := 0
	for i, c := range word {
		if c < '0' || c > '9' || n > maxNodes/10 {
			x, err := strconv.ParseFloat(string(word[:len(word)-1]), 64) // 4K nodes are 4096
			thousand := i > 0 && word[len(word)-1] == 'K' && err == nil && x > 0 && x*1024 <= maxNodes
			if !thousand {
				return 0, false
			}
			return int(x * 1024), true
		}
		n = n*10 + int(c-'0')
	}
	return n, n <= maxNodes
}

// parseSpan reads a length of time as Slurm and PBS write it: D-HH:MM:SS,
// D-HH:MM, D-HH, HH:MM:SS or MM:SS, or a number of units of so many seconds; -1
// where it is unlimited or unknown.
func parseSpan(word []byte, unit float64) (float64, bool) {
	if string(word) == "0" {
		return 0, true
	}
	if unknownWord(word) {
		return -1, true
	}
	days, rest, dated := bytes.Cut(word, []byte("-"))
	if !dated {
		rest, days = word, nil
	}
	var parts [3]int64
	n := 0
	rest, _, _ = bytes.Cut(rest, []byte(".")) // decimals
	for len(rest) > 0 || n == 0 {
		var part []byte
		part, rest, _ = bytes.Cut(rest, []byte(":"))
		x, err := strconv.ParseUint(string(part), 10, 40)
		if err != nil || n == len(parts) {
			return 0, false
		}
		parts[n] = int64(x)
		n++
	}
	d := uint64(0)
	if dated {
		var err error
		if d, err = strconv.ParseUint(string(days), 10, 32); err != nil {
			return 0, false
		}
	}
	day := float64(d) * 86400
	switch {
	case dated || n == 3:
		return day + float64(parts[0]*3600+parts[1]*60+parts[2]), true
	case n == 2:
		return float64(parts[0]*60 + parts[1]), true
	}
	return float64(parts[0]) * unit, true
}

// clock reads times.
type clock struct {
	zone           *time.Location
	zoned, unzoned int64 // times read with a zone of their own, and without
}

// parse reads a time as Unix seconds, 0 where it is unknown: ISO 8601 with or
// without a zone, or a number of seconds.
func (c *clock) parse(word []byte) (int64, bool) {
	if unknownWord(word) {
		return 0, true
	}
	if len(word) < 19 || word[4] != '-' {
		whole, _, _ := bytes.Cut(word, []byte("."))
		t, err := strconv.ParseUint(string(whole), 10, 38)
		return int64(t), err == nil
	}
	var f [6]int
	ok := word[7] == '-' && (word[10] == 'T' || word[10] == ' ') && word[13] == ':' && word[16] == ':'
	for i, at := range [6][2]int{{0, 4}, {5, 7}, {8, 10}, {11, 13}, {14, 16}, {17, 19}} {
		for _, d := range word[at[0]:at[1]] {
			ok = ok && d >= '0' && d <= '9'
			f[i] = f[i]*10 + int(d-'0')
		}
	}
	if !ok || f[0] < 1970 || f[1] < 1 || f[1] > 12 || f[2] < 1 || f[2] > daysIn(f[0], f[1]) || f[3] > 23 || f[4] > 59 || f[5] > 60 {
		return 0, false
	}
	rest := word[19:]
	if len(rest) > 0 && rest[0] == '.' {
		n := 1
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		rest = rest[n:]
	}
	utc := daysSince1970(f[0], f[1], f[2])*86400 + int64(f[3]*3600+f[4]*60+f[5])
	switch {
	case len(rest) > 0:
		offset, ok := parseOffset(string(rest))
		c.zoned++
		return utc - offset, ok
	case c.zone == time.UTC:
		c.unzoned++
		return utc, true
	}
	c.unzoned++
	at := time.Date(f[0], time.Month(f[1]), f[2], f[3], f[4], f[5], 0, c.zone)
	if before := at.Add(-time.Hour); before.Hour() == at.Hour() && before.Day() == at.Day() { // the first of the two
		at = before
	}
	return at.Unix(), true
}

// after returns a time that cannot be before another: in the hour that the
// clocks of a zone show twice, the second one where the first is before.
func (c *clock) after(t, other int64) int64 {
	const hour = 3600
	if t == 0 || t >= other || c.zone == time.UTC {
		return t
	}
	a, b := time.Unix(t, 0).In(c.zone), time.Unix(t+hour, 0).In(c.zone)
	if a.Hour() == b.Hour() && a.Minute() == b.Minute() && a.Day() == b.Day() {
		return t + hour
	}
	return t
}

// parseOffset reads Z, +01, +0100 or +01:00 as seconds.
func parseOffset(word string) (int64, bool) {
	if word == "Z" {
		return 0, true
	}
	digits := strings.Replace(word[1:], ":", "", 1)
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || len(digits) != 2 && len(digits) != 4 || word[0] != '+' && word[0] != '-' {
		return 0, false
	}
	hours, minutes := n, uint64(0)
	if len(digits) == 4 {
		hours, minutes = n/100, n%100
	}
	seconds := int64(hours*3600 + minutes*60)
	if word[0] == '-' {
		seconds = -seconds
	}
	return seconds, hours <= 15 && minutes < 60
}

// daysIn returns the days of a month.
func daysIn(year, month int) int {
	switch {
	case month == 2 && year%4 == 0 && (year%100 != 0 || year%400 == 0):
		return 29
	case month == 2:
		return 28
	case month == 4 || month == 6 || month == 9 || month == 11:
		return 30
	}
	return 31
}

// daysSince1970 counts days by the civil calendar, in years that begin in March.
func daysSince1970(year, month, day int) int64 {
	if month <= 2 {
		year, month = year-1, month+12
	}
	return int64(365*year+year/4-year/100+year/400+(153*(month-3)+2)/5+day-1) - 719468
}

// ParseZone reads a time zone: a name such as Europe/Berlin, UTC, local, or an
// offset such as +01:00.
func ParseZone(name string) (*time.Location, error) {
	if name == "" {
		return nil, nil
	}
	if offset, ok := parseOffset(name); ok {
		return time.FixedZone("UTC"+name, int(offset)), nil
	}
	if strings.EqualFold(name, "local") {
		return time.Local, nil
	}
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, fmt.Errorf("expected a time zone such as UTC, Europe/Berlin or +01:00, got %q", name)
	}
	return zone, nil
}

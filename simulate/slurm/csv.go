package slurm

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// Columns are the names of the columns of a table, by what they hold: "submit", "run" and
// the other words of columnWords.
type Columns map[string]string

// The words for the columns of a table. Times are "start", "end", "submit" and "deadline",
// lengths of time are "run", "wait" and "estimate".
var columnWords = []string{
	"submit", "run", "units", "pool", "start", "end", "wait", "estimate", "user", "account", "queue",
	"deadline", "price",
}

// ParseColumns reads a list such as submit=timestamp,run=duration,units=num_gpus.
func ParseColumns(list string) (Columns, error) {
	columns := Columns{}
	for _, item := range strings.Split(list, ",") {
		word, name, _ := strings.Cut(item, "=")
		word, name = strings.TrimSpace(word), strings.TrimSpace(name)
		switch {
		case !slices.Contains(columnWords, word):
			return nil, fmt.Errorf("expected %s before =, got %q", text.OneOf(columnWords), word)
		case name == "":
			return nil, fmt.Errorf("expected the name of a column, such as %s=NAME, got %q", word, item)
		case columns[word] != "":
			return nil, fmt.Errorf("expected one column for %s, got %s and %s", word, columns[word], name)
		}
		columns[word] = name
	}
	for _, word := range []string{"submit", "units"} {
		if columns[word] == "" {
			return nil, fmt.Errorf("expected a column for %s, got none", word)
		}
	}
	if columns["run"] == "" && (columns["start"] == "" || columns["end"] == "") {
		return nil, fmt.Errorf("expected a column for run, or for start and end, got neither")
	}
	return columns, nil
}

// unit returns the word for one unit, by the name of the column of units.
func (c Columns) unit() string {
	name := strings.ToLower(c["units"])
	for _, word := range []string{"gpu", "node", "core", "cpu", "processor"} {
		if strings.Contains(name, word) {
			return strings.Replace(word, "cpu", "core", 1)
		}
	}
	return "unit"
}

// table is a CSV file with a header.
type table struct {
	*importer
	at    map[string]int // of the columns that are used
	width int            // of a row
	cells [][]byte       // of the row
	row   []byte         // of several lines
	line  int            // of the row
	err   error          // the first of the row
}

// readTable reads a table in which every row is a job. A value that is wrong ends the
// import; a row without its run time is left out.
func (m *importer) readTable() error {
	if m.options.Columns == nil {
		m.lines.Line = 1
		return m.lines.Errorf("expected --columns with a table, such as submit=timestamp,run=duration,units=gpus")
	}
	t := &table{importer: m}
	m.plain, m.unit, m.units = false, m.options.Columns.unit(), plainUnits(billing, "units")
	return m.each(func(line []byte) error {
		switch err := t.split(line); {
		case err != nil:
			return err
		case t.at == nil:
			return t.header()
		case len(t.cells) != t.width:
			return t.errorf("expected %d columns, got %d", t.width, len(t.cells))
		}
		m.rows++
		var j logJob
		submit, wait, run := t.job(&j)
		if t.err != nil {
			return t.err
		}
		return m.put(&j, submit, wait, run)
	})
}

func (t *table) errorf(format string, args ...any) error {
	e := t.lines.Errorf(format, args...)
	e.Line = t.line
	return e
}

// split cuts a line into cells by the rules of RFC 4180: a cell in quotes may hold commas,
// ends of lines and doubled quotes.
func (t *table) split(line []byte) error {
	t.cells, t.line = t.cells[:0], t.lines.Line
	if quotes := bytes.Count(line, []byte{'"'}); quotes%2 == 1 {
		t.row = append(t.row[:0], line...)
		for quotes%2 == 1 {
			next, err := t.lines.Next()
			if err != nil {
				return err
			}
			if next == nil || len(t.row)+len(next) > maxLine {
				return t.errorf("expected a closing quote within %d bytes, got none", maxLine)
			}
			quotes += bytes.Count(next, []byte{'"'})
			t.row = append(append(t.row, '\n'), next...)
		}
		line = t.row
	}
	if bytes.IndexByte(line, 0) >= 0 {
		return t.errorf("expected text, got byte 0x00")
	}
	for more := true; more; {
		var cell []byte
		if len(line) == 0 || line[0] != '"' {
			cell, line, more = bytes.Cut(line, []byte(","))
			t.cells = append(t.cells, bytes.TrimSpace(cell))
			continue
		}
		end := 1
		for end < len(line) && (line[end] != '"' || end+1 < len(line) && line[end+1] == '"') {
			if line[end] == '"' {
				end++
			}
			end++
		}
		rest := line[min(end+1, len(line)):]
		if end >= len(line) || len(rest) > 0 && rest[0] != ',' {
			return t.errorf("expected a comma after the closing quote of column %d", len(t.cells)+1)
		}
		t.cells = append(t.cells, bytes.ReplaceAll(line[1:end], []byte(`""`), []byte(`"`)))
		if more = len(rest) > 0; more {
			line = rest[1:]
		}
	}
	return nil
}

// header finds the columns.
func (t *table) header() error {
	t.at, t.width = map[string]int{}, len(t.cells)
	for _, word := range columnWords {
		name := t.options.Columns[word]
		if name == "" {
			continue
		}
		i := slices.IndexFunc(t.cells, func(c []byte) bool { return strings.EqualFold(string(c), name) })
		if i < 0 {
			names := bytes.Join(t.cells[:min(t.width, 30)], []byte(", "))
			return t.errorf("expected a column %q for %s, got %s", name, word, text.OneLine(string(names)))
		}
		t.at[word] = i
	}
	return nil
}

// cell returns the text of a column, "" if the table has no such column.
func (t *table) cell(word string) []byte {
	if i, ok := t.at[word]; ok {
		return t.cells[i]
	}
	return nil
}

// fail notes that a value is not as expected.
func (t *table) fail(word, want string) {
	if t.err == nil {
		t.err = t.errorf("column %q: expected %s, got %s", t.options.Columns[word], want, text.Quote(t.cell(word)))
	}
}

// number returns a number up to a limit, -1 if the cell is empty.
func (t *table) number(word string, most float64) float64 {
	cell := t.cell(word)
	if len(cell) == 0 {
		return -1
	}
	x, err := strconv.ParseFloat(string(cell), 64)
	if err != nil || !(x >= 0 && x <= most) {
		t.fail(word, fmt.Sprintf("a number from 0 to %.0f", most))
	}
	return x
}

const (
	latest    = 1 << 38 // s; the last time or length of time that is read
	firstDate = 1e8     // s; times before it, in 1973, count from the start of the log
)

func milliseconds(x float64) float64 { return math.Round(x*1e3) / 1e3 }

// time returns a time in seconds, -1 if the cell is empty.
func (t *table) time(word string) float64 {
	cell := t.cell(word)
	if len(cell) > 4 && cell[4] == '-' {
		at, ok := t.clock.parse(cell)
		if !ok {
			t.fail(word, "a time such as 2026-11-15T08:46:57 or 2026-11-15 08:46:57")
		}
		return float64(at)
	}
	return milliseconds(t.number(word, latest))
}

// job reads a row into a job, and returns its submission, wait and run time.
func (t *table) job(j *logJob) (submit, wait, run float64) {
	submit, start, end := t.time("submit"), t.time("start"), t.time("end")
	wait, run = milliseconds(t.number("wait", latest)), milliseconds(t.number("run", latest))
	j.limit = t.number("estimate", latest)
	units := t.number("units", workload.MaxNodes)
	if submit < 0 {
		t.fail("submit", "a time")
	}
	if units < 0 {
		t.fail("units", "a number")
	}
	switch {
	case start >= 0:
	case wait >= 0:
		start = submit + wait
	case end >= 0 && run >= 0:
		start = end - run
	}
	known := run >= 0
	if !known && start >= 0 && end >= 0 {
		run, known = milliseconds(end-start), true
	}
	switch {
	case !known:
		j.fates.add(endless)
	case run < 0:
		j.fates.add(reversed)
	case run > longest:
		j.fates.add(longer)
	case run == 0:
		j.fates.add(empty)
	}
	if wait = -1; start >= 0 {
		if wait = milliseconds(start - submit); wait < 0 {
			wait = 0
			j.fates.add(early)
		}
	}
	if units < 1 {
		j.fates.add(least)
	}
	if t.time("deadline") >= 0 || t.number("price", math.MaxInt64) >= 0 {
		j.fates.add(offers)
	}
	j.number, j.state = t.rows, stateDone
	j.alloc[billing] = max(math.Ceil(units), 1)
	j.partition, j.user, j.account, j.queue = t.cell("pool"), t.cell("user"), t.cell("account"), t.cell("queue")
	return submit, wait, run
}

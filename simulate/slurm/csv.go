package slurm

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"
)

// Columns are the names of the columns of a table, by the words of columnWords.
type Columns map[string]string

var columnWords = []string{
	"submit", "run", "units", "pool", "start", "end", "wait", "estimate", "user", "account", "queue",
}

// ParseColumns reads a list such as submit=timestamp,run=duration,units=num_gpus.
func ParseColumns(list string) (Columns, error) {
	columns := Columns{}
	for _, item := range strings.Split(list, ",") {
		word, name, _ := strings.Cut(item, "=")
		if !slices.Contains(columnWords, word) || name == "" || columns[word] != "" {
			return nil, fmt.Errorf("expected a column such as submit=NAME once for each of %s, got %q",
				text.OneOf(columnWords), item)
		}
		columns[word] = name
	}
	switch {
	case columns["submit"] == "" || columns["units"] == "":
		return nil, fmt.Errorf("expected columns for submit and units, got %q", list)
	case columns["run"] == "" && (columns["start"] == "" || columns["end"] == ""):
		return nil, fmt.Errorf("expected a column for run, or for start and end, got %q", list)
	}
	return columns, nil
}

// unit returns the word for one unit, by the name of the column of units.
func (c Columns) unit() string {
	name := strings.ReplaceAll(strings.ToLower(c["units"]), "cpu", "core")
	for _, word := range []string{"gpu", "node", "core"} {
		if strings.Contains(name, word) {
			return word
		}
	}
	return "unit"
}

// table is a CSV file with a header.
type table struct {
	*importer
	fieldReader
	reader  *csv.Reader
	at      map[string]int // of the columns that are used
	row     []string
	formats map[string]string // of times, by column
	left    []byte            // of a line, for rows
	size    int               // of the lines of a row
}

// Read implements io.Reader for the reader of rows. It bounds the size of a row.
func (t *table) Read(b []byte) (int, error) {
	if len(t.left) == 0 {
		line, err := t.importer.next()
		t.size += len(line) + 1
		switch {
		case err != nil:
			return 0, err
		case line == nil:
			return 0, io.EOF
		case bytes.IndexByte(line, 0) >= 0:
			return 0, t.lines.Errorf("expected text, got byte 0x00")
		case t.size > conf.MaxLine:
			return 0, t.lines.Errorf("expected rows of at most %d bytes, got a longer one: a quote is not closed",
				conf.MaxLine)
		}
		t.left = append(bytes.Clone(line), '\n')
	}
	n := copy(b, t.left)
	t.left = t.left[n:]
	return n, nil
}

// next reads a row, and reports whether there was one.
func (t *table) next() (ok bool, err error) {
	t.size = 0
	t.row, err = t.reader.Read()
	var bad *csv.ParseError
	switch {
	case err == io.EOF:
		return false, nil
	case errors.Is(err, csv.ErrFieldCount):
		line, _ := t.reader.FieldPos(0)
		return false, t.failed(line, fmt.Sprintf("expected %d fields, got %d", t.reader.FieldsPerRecord, len(t.row)))
	case errors.As(err, &bad):
		return false, t.failed(bad.StartLine, bad.Err.Error())
	}
	return err == nil, err
}

func (t *table) failed(line int, why string) error {
	return &workload.Error{File: t.lines.File, Line: line, Message: why}
}

// readTable reads a table in which every row is a job. A wrong value ends the import.
func (m *importer) readTable() error {
	t := &table{importer: m, at: map[string]int{}, formats: map[string]string{}}
	t.fieldReader = fieldReader{
		get:  func(word string) []byte { return []byte(t.cell(word)) },
		name: func(word string) string { return fmt.Sprintf("column %q", m.options.Columns[word]) },
		time: "a time such as 2026-11-15T08:46:57 or 2026-11-15 08:46:57", clock: &m.clock,
	}
	t.reader = csv.NewReader(t)
	t.reader.ReuseRecord = true
	if _, err := t.next(); err != nil {
		return err
	}
	for _, word := range columnWords {
		name, used := m.options.Columns[word]
		if !used {
			continue
		}
		same := func(cell string) bool { return strings.EqualFold(strings.TrimSpace(cell), name) }
		i := slices.IndexFunc(t.row, same)
		t.at[word] = i
		if i < 0 {
			return m.lines.Errorf("expected a column %q for %s, got %s", name, word,
				text.OneLine(strings.Join(text.Few(t.row), ", ")))
		}
		if next := slices.IndexFunc(t.row[i+1:], same); next >= 0 {
			return m.lines.Errorf("expected one column %q for %s, got columns %d and %d", name, word, i+1, i+next+2)
		}
	}
	m.plain, m.unit, m.units = false, m.options.Columns.unit(), &Units{billing}
	for {
		if ok, err := t.next(); !ok || err != nil {
			return err
		}
		m.rows++
		var j logJob
		if t.job(&j); t.why != "" {
			line, _ := t.reader.FieldPos(0)
			return t.failed(line, t.why)
		}
		if err := m.add(&j); err != nil {
			return err
		}
	}
}

// cell returns the text of a column, "" if the table has no such column.
func (t *table) cell(word string) string {
	if i, ok := t.at[word]; ok {
		return strings.TrimSpace(t.row[i])
	}
	return ""
}

// number returns a number up to a limit, -1 if the cell is empty.
func (t *table) number(word string, most float64) float64 {
	cell := t.cell(word)
	if cell == "" {
		return -1
	}
	x, err := strconv.ParseFloat(cell, 64)
	if err != nil || strings.ContainsAny(cell, "_xX") || !(x >= 0 && x <= most) {
		t.fail(word, fmt.Sprintf("a number from 0 to %.0f", most))
	}
	return x
}

// seconds returns a length of time in whole seconds, -1 if the cell is empty.
func (t *table) seconds(word string) int64 { return int64(math.Round(t.number(word, 1<<38))) }

// when returns a time in whole seconds, 0 if the cell is empty. Numbers before 1979 count
// from the beginning of the table, which becomes the second day of 1970.
func (t *table) when(word string) int64 {
	var x, zero int64
	format := "a date"
	if strings.Index(t.cell(word), "-") == 4 {
		x = t.fieldReader.when(word)
	} else {
		x = t.seconds(word)
		switch {
		case x < 0:
			return 0
		case x < 3e8:
			format, zero = "seconds since the beginning", 86400
		default:
			format = "seconds since 1970"
		}
	}
	if before := t.formats[word]; before != "" && before != format {
		t.fail(word, "a time as "+before+", as in rows before")
	}
	t.formats[word] = format
	return x + zero
}

func (t *table) job(j *logJob) {
	j.number, j.state = t.rows, stateDone
	j.submit, j.start, j.end = t.when("submit"), t.when("start"), t.when("end")
	j.elapsed, j.limit = t.seconds("run"), float64(t.seconds("estimate"))
	units, wait := t.number("units", workload.MaxNodes), t.seconds("wait")
	for _, word := range []string{"submit", "units"} {
		if t.cell(word) == "" {
			t.fail(word, "a value")
		}
	}
	switch {
	case j.start > 0:
	case wait >= 0:
		j.start = j.submit + wait
	case j.end == 0 && j.elapsed <= 0: // it did not run or has no end
		j.start = j.submit
	}
	if j.start > 0 && j.elapsed >= 0 {
		j.end = j.start + j.elapsed
	}
	if units < 1 {
		j.fates.add(least)
	}
	j.alloc[billing] = max(math.Ceil(units), 1)
	j.partition = t.get("pool")
	j.user = t.get("user")
	j.account = t.get("account")
	j.queue = t.get("queue")
}

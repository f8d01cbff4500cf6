package conf

import (
	"bytes"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// Sheet is an output of Slurm: a header that names columns in any order, and rows.
type Sheet struct {
	*workload.Lines
	Columns, Row []string
}

// EachRow reads the output of a command, which has the given columns. With the option -P a | is between
// columns, else that or spaces. A column Reason may contain delimiters.
func EachRow(lines *workload.Lines, command string, need []string, read func(*Sheet) error) error {
	header, err := lines.Next()
	if err != nil {
		return err
	}
	split := func(line []byte) []string { return strings.Split(string(line), "|") }
	spaced := !strings.HasSuffix(command, "-P") && !bytes.ContainsRune(header, '|')
	if spaced {
		split = func(line []byte) []string { return strings.Fields(string(line)) }
	}
	s := &Sheet{Lines: lines, Columns: split(header)}
	for i, name := range s.Columns {
		s.Columns[i] = strings.ReplaceAll(name, " ", "")
	}
	for _, column := range need {
		if s.At(column) < 0 {
			name, _, _ := strings.Cut(column, " ")
			return lines.Errorf("expected the header of %s with a column %s, got %s", command, name, text.Quote(header))
		}
	}
	for {
		line, err := lines.Next()
		if err != nil || line == nil {
			return err
		}
		if len(bytes.TrimSpace(line)) == 0 {
			continue
		}
		s.Row = split(line)
		more := len(s.Row) - len(s.Columns)
		if i := s.At("Reason"); i >= 0 && more > 0 {
			s.Row, more = slices.Delete(s.Row, i, i+more), 0
		}
		if more != 0 && !(spaced && more > 0) {
			return lines.Errorf("expected %d fields, got %d", len(s.Columns), len(s.Row))
		}
		if err := read(s); err != nil {
			return err
		}
	}
}

// At returns the place of a column, by the first of its names that the header has; -1 if there is none.
func (s *Sheet) At(column string) int {
	for name := range strings.FieldsSeq(column) {
		if i := slices.IndexFunc(s.Columns, func(c string) bool { return strings.EqualFold(c, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// Get returns the text of a column, "" if there is none.
func (s *Sheet) Get(column string) string {
	if i := s.At(column); i >= 0 {
		return strings.TrimSpace(s.Row[i])
	}
	return ""
}

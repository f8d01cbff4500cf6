package slurm

import (
	"bytes"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// sheet is an output of Slurm: a header that names columns in any order, and rows.
type sheet struct {
	*workload.Lines
	columns, row []string
}

// eachRow reads the output of a command, which has the given columns. With the option -P a | is between
// columns, else that or spaces. A column Reason may contain delimiters.
func eachRow(lines *workload.Lines, command string, need []string, read func(*sheet) error) error {
	header, err := lines.Next()
	if err != nil {
		return err
	}
	split := func(line []byte) []string { return strings.Split(string(line), "|") }
	spaced := !strings.HasSuffix(command, "-P") && !bytes.ContainsRune(header, '|')
	if spaced {
		split = func(line []byte) []string { return strings.Fields(string(line)) }
	}
	s := &sheet{Lines: lines, columns: split(header)}
	for i, name := range s.columns {
		s.columns[i] = strings.ReplaceAll(name, " ", "")
	}
	for _, column := range need {
		if s.at(column) < 0 {
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
		s.row = split(line)
		more := len(s.row) - len(s.columns)
		if i := s.at("Reason"); i >= 0 && more > 0 {
			s.row, more = slices.Delete(s.row, i, i+more), 0
		}
		if more != 0 && !(spaced && more > 0) {
			return lines.Errorf("expected %d fields, got %d", len(s.columns), len(s.row))
		}
		if err := read(s); err != nil {
			return err
		}
	}
}

// at returns the place of a column, by the first of its names that the header has; -1 if there is none.
func (s *sheet) at(column string) int {
	for name := range strings.FieldsSeq(column) {
		if i := slices.IndexFunc(s.columns, func(c string) bool { return strings.EqualFold(c, name) }); i >= 0 {
			return i
		}
	}
	return -1
}

// get returns the text of a column, "" if there is none.
func (s *sheet) get(column string) string {
	if i := s.at(column); i >= 0 {
		return strings.TrimSpace(s.row[i])
	}
	return ""
}

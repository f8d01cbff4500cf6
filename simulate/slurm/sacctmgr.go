package slurm

import (
	"os"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/workload"
)

// sheet is an output of sacctmgr show -P: a header that names columns in any order, and
// rows.
type sheet struct {
	*workload.Lines
	columns, row []string
}

// withLines calls a function with the lines of a file.
func withLines(path string, read func(*workload.Lines) error) error {
	if err := workload.Regular(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return &workload.Error{File: path, Message: text.Cause(err), Cause: err}
	}
	defer f.Close()
	lines, err := workload.NewLines(path, f, maxLine)
	if err != nil {
		return err
	}
	return read(lines)
}

// eachRow reads the output of sacctmgr show with a command, which has the given columns.
// A column Reason may contain delimiters.
func eachRow(lines *workload.Lines, command string, need []string, read func(*sheet) error) error {
	header, err := lines.Next()
	if err != nil {
		return err
	}
	s := &sheet{Lines: lines, columns: strings.Split(strings.ReplaceAll(string(header), " ", ""), "|")}
	for _, column := range need {
		if s.at(column) < 0 {
			return lines.Errorf("expected the header of sacctmgr show %s -P with a column %s, got %s",
				command, column, text.Quote(header))
		}
	}
	for {
		line, err := lines.Next()
		if err != nil || line == nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		s.row = strings.Split(string(line), "|")
		more := len(s.row) - len(s.columns)
		if i := s.at("Reason"); i >= 0 && more > 0 {
			s.row, more = slices.Delete(s.row, i, i+more), 0
		}
		if more != 0 {
			return lines.Errorf("expected %d fields, got %d", len(s.columns), len(s.row))
		}
		if err := read(s); err != nil {
			return err
		}
	}
}

// at returns the place of a column, -1 if there is none.
func (s *sheet) at(column string) int {
	return slices.IndexFunc(s.columns, func(name string) bool { return strings.EqualFold(name, column) })
}

// get returns the text of a column, "" if there is none.
func (s *sheet) get(column string) string {
	if i := s.at(column); i >= 0 {
		return strings.TrimSpace(s.row[i])
	}
	return ""
}

// wrong returns an error about a field of the last line.
func wrong(lines *workload.Lines, field, want, got string) error {
	return lines.Errorf("%s: expected %s, got %s", text.OneLine(field), want, text.Quote([]byte(got)))
}

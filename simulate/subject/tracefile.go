package subject

import (
	"cmp"
	"path/filepath"
)

// TraceFile is the file of the jobs, and the machine that it was recorded on.
type TraceFile struct {
	Name   string `json:"name"`
	SHA256 string `json:"sha256"` // "" if the jobs are generated or come through a pipe
	Unit   string `json:"unit"`   // node, core, gpu or processor
	Units  int    `json:"units"`
}

// NewTraceFile describes a file of jobs on a machine.
func NewTraceFile(path, unit string, units int) *TraceFile {
	sum, _ := FileSum(path) // a pipe has none
	return &TraceFile{filepath.Base(path), sum, unit, units}
}

// TraceFile describes the trace, nil if the jobs come from none.
func (s *Subject) TraceFile() *TraceFile {
	if s == nil || s.Trace == nil {
		return nil
	}
	f := &TraceFile{Name: filepath.Base(s.Scenario.Trace.File), Unit: s.Unit()}
	f.SHA256, _ = s.Opener.Sum(s.Scenario.Trace) // a pipe has none
	f.Units = cmp.Or(s.Trace.HeaderNodes(), s.Trace.Nodes())
	return f
}

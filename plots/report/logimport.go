package report

import (
	"fmt"
	"io"

	"revopt/internal/text"
	"revopt/simulate/slurm"
	"revopt/simulate/workload"
)

// LogImport is the facts of the import of a log.
type LogImport struct {
	File       string                `json:"file"`
	Format     workload.LogFormat    `json:"format"`
	Out        string                `json:"out"`
	Version    string                `json:"version"`
	Lines      int64                 `json:"lines"`
	Jobs       int64                 `json:"jobs"`
	Processors int                   `json:"processors_busy"` // at most
	Counts     []slurm.ImportCount   `json:"counts"`
	Warnings   []slurm.ImportWarning `json:"warnings"`
}

// NewLogImport returns the facts of an import from one file into another.
func NewLogImport(log *slurm.Imported, file, out, version string) *LogImport {
	return &LogImport{
		File: file, Format: log.Format, Out: out, Version: version,
		Lines: log.Lines, Jobs: log.Jobs, Processors: log.Procs,
		Counts: append([]slurm.ImportCount{}, log.Counts...), Warnings: append([]slurm.ImportWarning{}, log.Warnings...),
	}
}

// Table writes the counts for a terminal.
func (r *LogImport) Table(w io.Writer) {
	fmt.Fprintf(w, "%s of %s in %s of %s; at most %s busy at a time\n",
		text.Plural(int(r.Jobs), "job"), text.OneLine(r.File),
		text.Plural(int(r.Lines), "line"), r.Format, text.Plural(r.Processors, "processor"))
	for _, c := range r.Counts {
		fmt.Fprintf(w, "%10s  %-8s  %s\n", text.Fixed(float64(c.N), 0), c.Fate, c.Text)
	}
	for _, x := range r.Warnings {
		fmt.Fprintf(w, "revopt: warning: %s\n", text.OneLine(x.Text))
	}
}

package report

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

// TraceInfo is the facts of a trace.
type TraceInfo struct {
	File         string                `json:"file"`
	Version      string                `json:"version"`
	Computer     string                `json:"computer"`
	Subset       string                `json:"jobs"`
	Nodes        int                   `json:"nodes"` // 0 if unknown
	Span         study.Number          `json:"span_seconds"`
	Load         study.Number          `json:"load"` // offered
	Interarrival spread                `json:"interarrival"`
	RunTime      spread                `json:"run_time"`
	Processors   spread                `json:"processors"`
	Estimate     spread                `json:"estimate"`
	Accuracy     spread                `json:"run_time_over_estimate"`
	PowersOfTwo  study.Number          `json:"powers_of_two"` // share of jobs
	Hours        [24]int64             `json:"submitted_by_hour"`
	Moved        int64                 `json:"out_of_order"`
	Cleaning     *study.CleaningResult `json:"cleaning"`

	summary *workload.Summary
}

// spread is a distribution in six numbers.
type spread struct {
	Mean   study.Number `json:"mean"`
	Min    study.Number `json:"min"`
	Q1     study.Number `json:"q1"`
	Median study.Number `json:"median"`
	Q3     study.Number `json:"q3"`
	Max    study.Number `json:"max"`
}

func newSpread(d *workload.Distribution) spread {
	at := func(p float64) study.Number { return study.Number(d.Quantile(p)) }
	return spread{study.Number(d.Mean()), at(0), at(0.25), at(0.5), at(0.75), at(1)}
}

// NewTraceInfo returns the facts of a summary.
func NewTraceInfo(s *workload.Summary, version string) *TraceInfo {
	return &TraceInfo{
		File: s.Selection.File, Version: version,
		Computer: s.Header.Get("Computer"), Subset: s.Selection.Subset.String(),
		Nodes: s.Nodes, Span: study.Number(s.Span), Load: study.Number(s.Load()),
		Interarrival: newSpread(&s.Gaps), RunTime: newSpread(&s.RunTimes), Processors: newSpread(&s.Widths),
		Estimate: newSpread(&s.Estimates), Accuracy: newSpread(&s.Accuracy),
		PowersOfTwo: study.Number(float64(s.PowersOfTwo) / float64(s.Cleaning.Left)),
		Hours:       s.Hours, Moved: s.Moved, Cleaning: study.NewCleaning(s.Cleaning), summary: s,
	}
}

// Table writes the facts for a terminal.
func (r *TraceInfo) Table(w io.Writer) {
	machine := "a machine of unknown size"
	if r.Nodes > 0 {
		machine = text.Plural(r.Nodes, "node")
	}
	fmt.Fprintf(w, "%s, jobs %s: %s on %s in %s\n\n", text.OneLine(filepath.Base(r.File)), r.Subset,
		text.Plural(int(r.Cleaning.Left), "job"), machine, text.Duration(float64(r.Span)))
	t := text.NewTable("", "mean", "least", "quartile 1", "median", "quartile 3", "most")
	for _, row := range []struct {
		name string
		spread
		format func(float64) string
	}{
		{"interarrival time", r.Interarrival, text.Duration}, {"run time", r.RunTime, text.Duration},
		{"processors", r.Processors, wholeOrShort}, {"estimate", r.Estimate, text.Duration},
		{"run time / estimate", r.Accuracy, text.Percent},
	} {
		cells := []string{row.name}
		for _, x := range []study.Number{row.Mean, row.Min, row.Q1, row.Median, row.Q3, row.Max} {
			cells = append(cells, row.format(float64(x)))
		}
		t.Row(cells...)
	}
	t.Print(w)
	fmt.Fprintf(w, "\nOffered load   %s of the machine\n", text.Percent(float64(r.Load)))
	fmt.Fprintf(w, "Powers of two  %s of the widths\n", text.Percent(float64(r.PowersOfTwo)))
	fmt.Fprintf(w, "Cleaning       %s: %s\n", r.Cleaning.Rule,
		strings.Join(CleaningLines(r.Cleaning), "\n               "))
	if r.Moved > 0 {
		fmt.Fprintf(w, "Order          %s submitted before the job in front of them; sorted\n",
			text.Plural(int(r.Moved), "job"))
	}
}

// wholeOrShort formats a number with four digits, whole numbers without decimals.
func wholeOrShort(x float64) string {
	if x == float64(int64(x)) {
		return text.Fixed(x, 0)
	}
	return text.Grouped(x)
}

// CleanHeader returns the header of the trace after cleaning, with notes on the changes.
func (r *TraceInfo) CleanHeader() []string {
	var lines []string
	for _, line := range r.summary.Header.Lines {
		key, _, _ := strings.Cut(strings.TrimLeft(line, "; \t"), ":")
		if key = strings.TrimSpace(key); key != "MaxJobs" && key != "MaxRecords" {
			lines = append(lines, line)
		}
	}
	lines = append(lines,
		fmt.Sprintf("; MaxJobs: %d", r.Cleaning.Left),
		fmt.Sprintf("; MaxRecords: %d", r.Cleaning.Left))
	if r.summary.Header.Nodes() == 0 && r.Nodes > 0 {
		lines = append(lines, fmt.Sprintf("; MaxProcs: %d", r.Nodes))
	}
	c := r.Cleaning
	lines = append(lines, fmt.Sprintf("; Note: revopt %s: jobs %s, cleaning %s, %d read, %d left",
		r.Version, r.Subset, c.Rule, c.Read, c.Left))
	for _, line := range CleaningLines(r.Cleaning) {
		lines = append(lines, "; Note: revopt: "+line)
	}
	if r.Moved > 0 {
		lines = append(lines, fmt.Sprintf("; Note: revopt: sorted, %d were out of order", r.Moved))
	}
	return lines
}

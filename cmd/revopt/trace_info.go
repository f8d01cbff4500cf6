package main

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/plots"
	"revopt/simulate/workload"
)

func (p *program) traceInfoCommand() *cli.Command {
	return &cli.Command{
		Name:      "info",
		Usage:     "what a trace is made of",
		ArgsUsage: "FILE [flags]",
		Description: `Prints how the jobs of a trace arrive, how long and how wide they are, how good
their users' estimates are, the load they offer, and what needs cleaning.

Examples:
  revopt trace info SDSC-SP2-1998-4.2-cln.swf.gz --jobs last:5000
  revopt trace info sp2-like -o jobs.png`,
		Flags: append(selectionFlags(workload.Keep), seedFlag(),
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` draw it as .png, .svg, .pdf or .csv; a directory gets all four"},
			jsonFlag()),
		Action: p.traceInfo,
	}
}

// traceReport is what trace info prints.
type traceReport struct {
	File         string         `json:"file"`
	Version      string         `json:"version"`
	Computer     string         `json:"computer"`
	Subset       string         `json:"jobs"`
	Nodes        int            `json:"nodes"` // 0 where nothing says
	Span         number         `json:"span_seconds"`
	Load         number         `json:"load"` // offered
	Interarrival spread         `json:"interarrival"`
	RunTime      spread         `json:"run_time"`
	Processors   spread         `json:"processors"`
	Estimate     spread         `json:"estimate"`
	Accuracy     spread         `json:"run_time_over_estimate"`
	PowersOfTwo  number         `json:"powers_of_two"` // share of jobs
	Hours        [24]int64      `json:"submitted_by_hour"`
	Moved        int64          `json:"out_of_order"`
	Cleaning     cleaningReport `json:"cleaning"`

	summary *workload.Summary
}

// spread is a distribution in six numbers.
type spread struct {
	Mean   number `json:"mean"`
	Min    number `json:"min"`
	Q1     number `json:"q1"`
	Median number `json:"median"`
	Q3     number `json:"q3"`
	Max    number `json:"max"`
}

func newSpread(d *workload.Distribution) spread {
	return spread{number(d.Mean()), number(d.Quantile(0)), number(d.Quantile(0.25)), number(d.Quantile(0.5)), number(d.Quantile(0.75)), number(d.Quantile(1))}
}

func newTraceReport(s *workload.Summary) *traceReport {
	return &traceReport{
		File: s.Selection.File, Version: build().Version, Computer: s.Header.Get("Computer"), Subset: s.Selection.Subset.String(),
		Nodes: s.Nodes, Span: number(s.Span), Load: number(s.Load()),
		Interarrival: newSpread(&s.Gaps), RunTime: newSpread(&s.RunTimes), Processors: newSpread(&s.Widths),
		Estimate: newSpread(&s.Estimates), Accuracy: newSpread(&s.Accuracy),
		PowersOfTwo: number(float64(s.PowersOfTwo) / float64(s.Cleaning.Left)),
		Hours:       s.Hours, Moved: s.Moved, Cleaning: newCleaningReport(s.Cleaning), summary: s,
	}
}

func (p *program) traceInfo(c *cli.Context) error {
	sel, err := selection(c)
	if err != nil {
		return err
	}
	out, err := parseTarget(c.String("out"))
	if err != nil {
		return err
	}
	s, err := workload.Summarise(c.Context, sel, c.Uint64("seed"))
	if err != nil {
		return err
	}
	r := newTraceReport(s)
	if err := out.saveTrace(r, r.provenance(p.args)); err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(r)
	}
	r.print(p.stdout)
	return nil
}

// print writes the report for a person to read.
func (r *traceReport) print(w io.Writer) {
	machine := "a machine of unknown size"
	if r.Nodes > 0 {
		machine = plural(r.Nodes, "node")
	}
	fmt.Fprintf(w, "%s, jobs %s: %s on %s in %s\n\n", oneLine(filepath.Base(r.File)), r.Subset,
		plural(int(r.Cleaning.Left), "job"), machine, duration(float64(r.Span)))
	t := newTable("", "mean", "least", "quartile 1", "median", "quartile 3", "most")
	for _, row := range []struct {
		name string
		spread
	}{
		{"interarrival time (s)", r.Interarrival}, {"run time (s)", r.RunTime}, {"processors", r.Processors},
		{"estimate (s)", r.Estimate}, {"run time / estimate", r.Accuracy},
	} {
		cells := []string{row.name}
		for _, x := range []number{row.Mean, row.Min, row.Q1, row.Median, row.Q3, row.Max} {
			cells = append(cells, amount(float64(x)))
		}
		t.row(cells...)
	}
	t.print(w)
	fmt.Fprintf(w, "\nOffered load   %s of the machine\n", percent(float64(r.Load)))
	fmt.Fprintf(w, "Powers of two  %s of the widths\n", percent(float64(r.PowersOfTwo)))
	fmt.Fprintf(w, "Cleaning       %s: %s\n", r.Cleaning.Rule, strings.Join(orNothing(r.Cleaning.lines()), "\n               "))
	if r.Moved > 0 {
		fmt.Fprintf(w, "Order          %s submitted before the job in front of them; sorted\n", plural(int(r.Moved), "job"))
	}
}

// amount formats a number with four digits, whole numbers without decimals.
func amount(x float64) string {
	if x == float64(int64(x)) {
		return separated(x, 0)
	}
	return grouped(x)
}

func orNothing(lines []string) []string {
	if len(lines) == 0 {
		return []string{"nothing to do"}
	}
	return lines
}

// provenance says where the numbers of the report come from.
func (r *traceReport) provenance(args []string) plots.Provenance {
	return plots.Provenance{
		Version: r.Version, Scenario: r.File, Command: commandLine(args),
		Cleaning: r.Cleaning.Rule + ": " + strings.Join(orNothing(r.Cleaning.lines()), "; "),
		Extra:    []plots.Pair{{Key: "jobs", Value: r.Subset}},
	}
}

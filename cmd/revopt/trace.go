package main

import (
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/report"
	"revopt/simulate/study"
	"revopt/simulate/workload"
)

func (p *program) traceCommand() *cli.Command {
	return &cli.Command{
		Name:      "trace",
		Usage:     "import, replay, look at, clean and synthesize traces of jobs, fit classes to one",
		ArgsUsage: "import | replay | info | clean | fit FILE [flags], generate [SCENARIO]",
		Description: `A trace is a file in the Standard Workload Format, plain or compressed by gzip,
or sp2-like for generated jobs that resemble those of the SDSC SP2.

Examples:
  sacct -aPD -S 2026-01-01 -o ALL | revopt trace import - -o jobs.swf
  revopt trace info SDSC-SP2-1998-4.2-cln.swf.gz --jobs last:5000 -o sp2.png
  revopt trace clean raw.swf --cleaning drop -o clean.swf.gz
  revopt trace generate --jobs 1000 --seed 7 -o jobs.swf
  revopt trace fit sp2-like > fit.yaml`,
		Subcommands: []*cli.Command{p.traceImportCommand(), p.traceReplayCommand(), p.traceInfoCommand(), p.traceCleanCommand(), p.traceGenerateCommand(), p.traceFitCommand()},
	}
}

// selectionFlags choose jobs of a trace.
func selectionFlags(rule workload.Rule) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "jobs", Value: "all", Usage: "`SUBSET` all, last:N, first:N or from:T1:T2 (submit times, as 30d)"},
		&cli.StringFlag{Name: "cleaning", Value: rule.String(), Usage: "`RULE` for jobs that never ran: keep (for 1 s), reject or drop"},
		&cli.IntFlag{Name: "nodes", Usage: "`N` size of the machine, where the trace does not say or is wrong"},
		&cli.BoolFlag{Name: "sort", Usage: "sort a trace that is out of order, in memory, instead of refusing it"},
		memoryFlag(),
	}
}

// selection reads the jobs that a command line chooses.
func selection(c *cli.Context) (workload.Selection, error) {
	s := workload.Selection{Nodes: c.Int("nodes"), Sort: c.Bool("sort")}
	if err := exactly(c, "FILE"); err != nil {
		return s, err
	}
	s.File = c.Args().First()
	subset, err := scenario.ParseSubset(c.String("jobs"))
	if err != nil {
		return s, usagef("--jobs: %v", err)
	}
	s.Subset = workload.Subset(subset)
	if s.Rule, err = workload.ParseRule(c.String("cleaning")); err != nil {
		return s, usagef("--cleaning: %v", err)
	}
	if c.IsSet("nodes") && (s.Nodes < 1 || s.Nodes > 1<<30) {
		return s, usagef("--nodes: expected a whole number from 1 to %d, got %d", 1<<30, s.Nodes)
	}
	return s, nil
}

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
		Flags: append(selectionFlags(workload.Keep), seedFlag("generated jobs"),
			outFlag("`FILE` draw it as .png, .svg, .pdf or .csv; a directory gets all four"),
			jsonFlag()),
		Action: p.traceInfo,
	}
}

// traceReport is what trace info prints.
type traceReport struct {
	File         string                `json:"file"`
	Version      string                `json:"version"`
	Computer     string                `json:"computer"`
	Subset       string                `json:"jobs"`
	Nodes        int                   `json:"nodes"` // 0 where nothing says
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
	return spread{study.Number(d.Mean()), study.Number(d.Quantile(0)), study.Number(d.Quantile(0.25)), study.Number(d.Quantile(0.5)), study.Number(d.Quantile(0.75)), study.Number(d.Quantile(1))}
}

func newTraceReport(s *workload.Summary) *traceReport {
	return &traceReport{
		File: s.Selection.File, Version: build().Version, Computer: s.Header.Get("Computer"), Subset: s.Selection.Subset.String(),
		Nodes: s.Nodes, Span: study.Number(s.Span), Load: study.Number(s.Load()),
		Interarrival: newSpread(&s.Gaps), RunTime: newSpread(&s.RunTimes), Processors: newSpread(&s.Widths),
		Estimate: newSpread(&s.Estimates), Accuracy: newSpread(&s.Accuracy),
		PowersOfTwo: study.Number(float64(s.PowersOfTwo) / float64(s.Cleaning.Left)),
		Hours:       s.Hours, Moved: s.Moved, Cleaning: study.NewCleaning(s.Cleaning), summary: s,
	}
}

func (p *program) traceInfo(c *cli.Context) error {
	sel, err := selection(c)
	if err != nil {
		return err
	}
	out, err := parseTarget(c)
	if err != nil {
		return err
	}
	s, err := workload.Summarize(c.Context, sel, c.Uint64("seed"))
	if err != nil {
		return err
	}
	r := newTraceReport(s)
	return p.deliver(c, r, r.print, nil, func() error {
		prov := p.provenance(r.File, nil, plots.Pair{Key: "jobs", Value: r.Subset})
		prov.Cleaning = report.Cleaning(r.Cleaning)
		return out.save(prov, r.sheet(), r.sheet())
	})
}

// print writes the report for a person to read.
func (r *traceReport) print(w io.Writer) {
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
		{"interarrival time", r.Interarrival, text.Duration}, {"run time", r.RunTime, text.Duration}, {"processors", r.Processors, amount},
		{"estimate", r.Estimate, text.Duration}, {"run time / estimate", r.Accuracy, text.Percent},
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
	fmt.Fprintf(w, "Cleaning       %s: %s\n", r.Cleaning.Rule, strings.Join(report.CleaningLines(r.Cleaning), "\n               "))
	if r.Moved > 0 {
		fmt.Fprintf(w, "Order          %s submitted before the job in front of them; sorted\n", text.Plural(int(r.Moved), "job"))
	}
}

// amount formats a study.Number with four digits, whole numbers without decimals.
func amount(x float64) string {
	if x == float64(int64(x)) {
		return text.Fixed(x, 0)
	}
	return text.Grouped(x)
}

// sheet draws when jobs arrive, how long they run, how wide they are and the
// load they make.
func (r *traceReport) sheet() plots.Sheet {
	return plots.Sheet{ID: "trace", Title: cmp.Or(r.summary.Header.Machine(), filepath.Base(r.File)), Panels: []plots.Figure{r.hoursFigure(), r.runTimesFigure(), r.sizesFigure(), r.loadFigure()}}
}

func (r *traceReport) hoursFigure() plots.Figure {
	s := plots.Series{Kind: plots.Bars, Look: 1}
	for hour, n := range r.Hours {
		s.X = append(s.X, float64(hour))
		s.Y = append(s.Y, float64(n)/float64(r.Cleaning.Left))
	}
	return plots.Figure{
		Title: "Arrivals", X: plots.Axis{Label: "Hour of the day", Min: -0.5, Max: 23.5},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: math.NaN()}, Series: []plots.Series{s},
	}
}

// runTimesFigure draws the distribution function of the run times.
func (r *traceReport) runTimesFigure() plots.Figure {
	const points = 200
	s := plots.Series{Kind: plots.Line, Look: 1}
	for i := range points + 1 {
		p := float64(i) / points
		if x := r.summary.RunTimes.Quantile(p); x > 0 {
			s.X = append(s.X, x)
			s.Y = append(s.Y, p)
		}
	}
	return plots.Figure{
		Title: "Run times", X: plots.Axis{Label: "Run time at most", Time: true, Log: true},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: 1}, Series: []plots.Series{s},
	}
}

func (r *traceReport) sizesFigure() plots.Figure {
	s := plots.Series{Kind: plots.Bars, Look: 1}
	var names []string
	for i, n := range r.summary.Sizes {
		name := fmt.Sprint(1 << i)
		if i > 1 {
			name = fmt.Sprintf("%d-%d", 1<<(i-1)+1, 1<<i)
		}
		names = append(names, name)
		s.X = append(s.X, float64(i))
		s.Y = append(s.Y, float64(n)/float64(r.Cleaning.Left))
	}
	return plots.Figure{
		Title: "Sizes", X: plots.Axis{Label: "Processors", Categories: names},
		Y: plots.Axis{Label: "Jobs", Percent: true, Max: math.NaN()}, Series: []plots.Series{s},
	}
}

// loadFigure draws the work submitted over what the machine could do meanwhile.
// A machine of unknown size shows work alone.
func (r *traceReport) loadFigure() plots.Figure {
	d := r.summary.Demand
	fig := plots.Figure{Title: "Load", X: plots.Axis{Label: "Time", Time: true}, Y: plots.Axis{Label: "Offered load", Percent: true, Max: math.NaN()}}
	unit := d.Step * float64(r.Nodes)
	if r.Nodes == 0 {
		fig.Y = plots.Axis{Label: "Work submitted", Unit: "processors", Max: math.NaN()}
		unit = d.Step
	}
	s := plots.Series{Kind: plots.Step, Look: 1}
	for i, work := range d.Sums {
		s.X = append(s.X, float64(i)*d.Step)
		s.Y = append(s.Y, work/unit)
	}
	s.X = append(s.X, float64(len(d.Sums))*d.Step)
	s.Y = append(s.Y, s.Y[len(s.Y)-1])
	fig.Series = []plots.Series{s}
	return fig
}

func (p *program) traceCleanCommand() *cli.Command {
	return &cli.Command{
		Name:      "clean",
		Usage:     "write a trace that needs no cleaning any more",
		ArgsUsage: "FILE -o OUT [flags]",
		Description: `Writes the jobs of a trace as a simulation would take them, with the rule and
what it changed in the header. Under reject, jobs that never ran stay as they
are. Prints what was changed.

Examples:
  revopt trace clean raw.swf --cleaning drop -o clean.swf
  revopt trace clean raw.swf.gz --jobs last:5000 --sort -o last.swf.gz`,
		Flags:  append(selectionFlags(workload.Drop), outFlag("`FILE` where to write to, compressed where it ends in .gz"), jsonFlag()),
		Action: p.traceClean,
	}
}

func (p *program) traceGenerateCommand() *cli.Command {
	return &cli.Command{
		Name:      "generate",
		Usage:     "write the jobs of a scenario, or some like those of a trace",
		ArgsUsage: "[SCENARIO] [flags]",
		Description: `Writes the jobs of a scenario, in their first replication, as a trace whose groups
are named after its classes. Times have all their decimals, so that the trace, read
with the same classes by group, is worth the same. Prices stand in no trace.
With --like, the jobs are drawn from a model of the users of a trace, fitted to it; how
like the trace they are is printed on stderr, or as JSON. Without either the jobs
resemble the last 5000 of the SDSC SP2 trace: those that the name sp2-like stands for
in scenarios.

Examples:
  revopt trace generate --jobs 1000 --seed 7 -o jobs.swf
  revopt trace generate --like kth.swf --weeks 26 --seed 3 -o half-year.swf
  revopt trace generate nist-cluster --jobs 2000 --load 1.2 -o classes.swf
  revopt trace generate | head`,
		Flags: append([]cli.Flag{
			&cli.IntFlag{Name: "jobs", Value: 5000, Usage: "`N` how many jobs; with --like, as many as in its span"},
			&cli.StringFlag{Name: "like", Usage: "`FILE` the trace that the jobs are to resemble"},
			&cli.Float64Flag{Name: "weeks", Usage: "`N` with --like: for so many weeks"},
			seedFlag("the jobs"), outFlag("`FILE` where to write to, compressed where it ends in .gz (default standard output)"),
			jsonFlag(), quietFlag("figures of likeness"),
		}, scenarioFlags()...),
		Action: p.traceGenerate,
	}
}

func (p *program) traceClean(c *cli.Context) error {
	sel, err := selection(c)
	if err != nil {
		return err
	}
	out := c.String("out")
	if out == "" {
		return usagef("trace clean: expected -o FILE")
	}
	// The header comes first and says what was counted, so read twice.
	s, err := workload.Summarize(c.Context, sel, 1)
	if err != nil {
		return err
	}
	r := newTraceReport(s)
	err = safefile.Guard{Inputs: []string{sel.File}}.Write(out, func(w io.Writer) error {
		stream, err := sel.Open(c.Context, 1, 0)
		if err != nil {
			return err
		}
		defer stream.Close()
		count := workload.Cleaning{Rule: sel.Rule}
		keep := func(rec *workload.Record) bool { return count.Repair(rec, stream.Nodes) }
		return writeSWF(c, out, w, r.header(), stream, keep)
	})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(r.Cleaning)
	}
	fmt.Fprintf(p.stdout, "%s: %d of %d jobs of %s\n%s\n", text.OneLine(out), r.Cleaning.Left, r.Cleaning.Read, text.OneLine(sel.File),
		strings.Join(report.CleaningLines(r.Cleaning), "\n"))
	return nil
}

// header is that of the trace, with what was done to it.
func (r *traceReport) header() []string {
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
	lines = append(lines, fmt.Sprintf("; Note: revopt %s: jobs %s, cleaning %s, %d read, %d left", r.Version, r.Subset, r.Cleaning.Rule, r.Cleaning.Read, r.Cleaning.Left))
	for _, line := range report.CleaningLines(r.Cleaning) {
		lines = append(lines, "; Note: revopt: "+line)
	}
	if r.Moved > 0 {
		lines = append(lines, fmt.Sprintf("; Note: revopt: sorted, %d were out of order", r.Moved))
	}
	return lines
}

func (p *program) traceGenerate(c *cli.Context) error {
	n, seed, out := int64(c.Int("jobs")), c.Uint64("seed"), c.String("out")
	if n < 1 {
		return usagef("--jobs: expected a whole number of at least 1, got %d", n)
	}
	if c.IsSet("like") {
		return p.traceLike(c)
	}
	if c.IsSet("weeks") || c.Bool("json") {
		return usagef("trace generate: expected --like FILE with --weeks and --json")
	}
	header, jobs := workload.SP2Header(), workload.Records(workload.NewSP2(n, seed, 0))
	note := "trace generate"
	if c.NArg() > 0 {
		in, err := p.open(c)
		if err != nil {
			return err
		}
		if has := in.Workload.Has(); has.Optional || has.Sites > 1 {
			return usagef("trace generate: expected jobs without optional parts, on one site: a trace records neither")
		}
		source, err := in.Workload.Jobs(seed, 0)
		if err != nil {
			return err
		}
		if closer, ok := source.(io.Closer); ok {
			defer closer.Close()
			n = min(n, int64(in.Workload.Size())) // a trace has the jobs it has
		}
		header, jobs = workload.RecordHeader(in.Workload), workload.AsRecords(source, n)
		note += " " + in.Scenario.Name
		for _, o := range in.overrides {
			note += " --set " + o
		}
	} else if c.IsSet("set") || c.IsSet("load") || c.IsSet("growth") {
		return usagef("trace generate: expected SCENARIO with --set, --load and --growth")
	}
	header.Lines = append(header.Lines, fmt.Sprintf("; MaxJobs: %d", n), fmt.Sprintf("; MaxRecords: %d", n),
		fmt.Sprintf("; Note: revopt %s: %s --jobs %d --seed %d", build().Version, text.OneLine(note), n, seed))
	if out == "" {
		return writeSWF(c, out, p.stdout, header.Lines, jobs, nil)
	}
	err := safefile.Guard{Inputs: c.Args().Slice()}.Write(out, func(w io.Writer) error { return writeSWF(c, out, w, header.Lines, jobs, nil) })
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, text.OneLine(out))
	return nil
}

// writeSWF writes a trace, compressed where the name of the file says so.
func writeSWF(c *cli.Context, name string, w io.Writer, header []string, records workload.Records, keep func(*workload.Record) bool) error {
	if !strings.HasSuffix(name, ".gz") {
		return workload.WriteSWF(c.Context, w, header, records, keep)
	}
	z := gzip.NewWriter(w)
	return errors.Join(workload.WriteSWF(c.Context, z, header, records, keep), z.Close())
}

package main

import (
	"bufio"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/plots"
	"revopt/simulate/workload"
)

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
		Flags:  append(selectionFlags(workload.Drop), outSWFFlag("where to write to, compressed where it ends in .gz"), jsonFlag()),
		Action: p.traceClean,
	}
}

func (p *program) traceGenerateCommand() *cli.Command {
	return &cli.Command{
		Name:      "generate",
		Usage:     "write generated jobs that resemble those of the SDSC SP2",
		ArgsUsage: "[flags]",
		Description: `Draws jobs that resemble the last 5000 of the SDSC SP2 trace: those that the
name sp2-like stands for in scenarios, in their first replication.

Examples:
  revopt trace generate --jobs 1000 --seed 7 -o jobs.swf
  revopt trace generate | head`,
		Flags: []cli.Flag{
			&cli.IntFlag{Name: "jobs", Value: 5000, Usage: "`N` how many jobs"},
			seedFlag(), outSWFFlag("where to write to, compressed where it ends in .gz (default standard output)"),
		},
		Action: p.traceGenerate,
	}
}

func outSWFFlag(what string) cli.Flag {
	return &cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`FILE` " + what}
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
	s, err := workload.Summarise(c.Context, sel, 1)
	if err != nil {
		return err
	}
	report := newTraceReport(s)
	err = plots.WriteFile(out, func(w io.Writer) error {
		stream, err := sel.Open(1, 0)
		if err != nil {
			return err
		}
		defer stream.Close()
		count := workload.Cleaning{Rule: sel.Rule}
		keep := func(r *workload.Record) bool { return count.Repair(r, stream.Nodes) }
		return writeSWF(c.Context, compressing(out, w), report.header(), stream, keep)
	})
	if err != nil {
		return err
	}
	if c.Bool("json") {
		return p.printJSON(report.Cleaning)
	}
	fmt.Fprintf(p.stdout, "%s: %d of %d jobs of %s\n%s\n", oneLine(out), report.Cleaning.Left, report.Cleaning.Read, oneLine(sel.File),
		strings.Join(orNothing(report.Cleaning.lines()), "\n"))
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
	for _, line := range r.Cleaning.lines() {
		lines = append(lines, "; Note: revopt: "+line)
	}
	if r.Moved > 0 {
		lines = append(lines, fmt.Sprintf("; Note: revopt: sorted, %d were out of order", r.Moved))
	}
	return lines
}

func (p *program) traceGenerate(c *cli.Context) error {
	if err := exactly(c); err != nil {
		return err
	}
	n, seed, out := c.Int("jobs"), c.Uint64("seed"), c.String("out")
	if n < 1 {
		return usagef("--jobs: expected a whole number of at least 1, got %d", n)
	}
	header := append(workload.SP2Header().Lines, fmt.Sprintf("; MaxJobs: %d", n), fmt.Sprintf("; MaxRecords: %d", n),
		fmt.Sprintf("; Note: revopt %s: trace generate --jobs %d --seed %d", build().Version, n, seed))
	jobs := workload.NewSP2(int64(n), seed, 0)
	all := func(*workload.Record) bool { return true }
	if out == "" {
		return writeSWF(c.Context, nopCloser{p.stdout}, header, jobs, all)
	}
	err := plots.WriteFile(out, func(w io.Writer) error { return writeSWF(c.Context, compressing(out, w), header, jobs, all) })
	if err != nil {
		return err
	}
	fmt.Fprintln(p.stdout, oneLine(out))
	return nil
}

// writeSWF writes a trace and closes w. Records that keep refuses are left out.
func writeSWF(ctx context.Context, w io.WriteCloser, header []string, records workload.Records, keep func(*workload.Record) bool) error {
	b := bufio.NewWriterSize(w, 1<<16)
	for _, line := range header {
		fmt.Fprintln(b, line)
	}
	var r workload.Record
	var line []byte
	for n := 0; ; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ok, err := records.Next(&r)
		if err != nil {
			return err
		}
		if !ok {
			break
		}
		if keep(&r) {
			line = append(r.AppendText(line[:0]), '\n')
			if _, err := b.Write(line); err != nil {
				return err
			}
		}
	}
	return errors.Join(b.Flush(), w.Close())
}

// compressing returns a writer that compresses where the name says so.
func compressing(name string, w io.Writer) io.WriteCloser {
	if strings.HasSuffix(name, ".gz") {
		return gzip.NewWriter(w)
	}
	return nopCloser{w}
}

// nopCloser is a writer that somebody else closes.
type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }

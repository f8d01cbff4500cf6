package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/urfave/cli/v2"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/report/logs"
	"revopt/plots/wording"
	"revopt/simulate/workload"
)

func selectionFlags(rule workload.Rule) []cli.Flag {
	return []cli.Flag{
		jobsFlag(),
		choiceFlag("cleaning", string(rule), "`RULE` for jobs that never ran: keep (for 1 s), reject or drop",
			"keep", "reject", "drop"),
		nodesFlag("`N` size of the machine, if the trace does not state it or states it wrongly"),
		boolFlag("sort", "sort a trace that is out of order, in memory, instead of refusing it"),
	}
}

func jobsFlag() cli.Flag {
	return presetFlag("jobs", "all", "`SUBSET` all, last:N, first:N, index:A:B or from:T1:T2 (submit times, as 30d)")
}

func nodesFlag(usage string) cli.Flag { return wholeFlag("nodes", 1, workload.MaxNodes, 0, usage) }

func selection(c *cli.Context) (workload.Selection, error) {
	s := workload.Selection{Sort: c.Bool("sort"), Nodes: c.Int("nodes")}
	err := exactly(c, "FILE")
	if err != nil {
		return s, err
	}
	s.File = c.Args().First()
	s.Subset, err = parsed("jobs", c.String("jobs"), scenario.ParseSubset)
	if err != nil {
		return s, err
	}
	s.Rule, err = parsed("cleaning", c.String("cleaning"), workload.ParseRule)
	return s, err
}

func traceInfoFlags() []cli.Flag {
	return append(selectionFlags(workload.Keep), seedFlag("generated jobs"),
		outFlag("`FILE` write a figure as .png, .svg, .pdf or .csv; a directory gets all four"),
		jsonFlag())
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
	s, err := await(c.Context, func() (*workload.Summary, error) { // a pipe may never end
		return workload.Summarize(c.Context, sel, c.Uint64("seed"))
	})
	if err != nil {
		return err
	}
	r := &logs.TraceInfo{Summary: s, Version: build().Version}
	if err := r.Divide(c.Context, ""); err != nil {
		return err
	}
	return p.deliver(c, r, r.Table, nil, func() error {
		sum := wording.TraceSum(r.TraceFile().SHA256)
		prov := p.provenance(sel.File, nil, plots.Pair{Key: "jobs", Value: r.Subset()}, sum)
		prov.Cleaning = logs.Cleaning(&r.Cleaning)
		return out.save(prov, r.Sheet(), r.Sheet())
	})
}

func traceCleanFlags() []cli.Flag {
	return append(selectionFlags(workload.Drop),
		outFlag("`FILE` file to write; compressed if the name ends in .gz"), jsonFlag())
}

func traceGenerateFlags() []cli.Flag {
	return append([]cli.Flag{
		wholeFlag("jobs", 1, math.MaxInt, 5000, "`N` number of jobs"),
		seedFlag("the jobs"), outFlag("`FILE` file to write; compressed if the name ends in .gz (default " +
			"standard output)"),
		quietFlag("warnings"),
	}, scenarioFlags()...)
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
	if err := workload.Regular(sel.File); err != nil {
		return err
	}
	s, err := workload.Summarize(c.Context, sel, 1)
	if err != nil {
		return err
	}
	stream, err := sel.Open(c.Context, 1, 0)
	if err != nil {
		return err
	}
	defer stream.Close()
	r, count := &logs.TraceInfo{Summary: s, Version: build().Version}, workload.Cleaning{Rule: sel.Rule}
	keep := func(rec *workload.Record) bool { return count.Repair(rec, stream.Nodes) }
	if err := p.writeTrace(c, sel.File, out, r.CleanHeader(), stream, keep); err != nil {
		return err
	}
	return p.deliver(c, &r.Cleaning, func(w io.Writer) {
		fmt.Fprintf(w, "%s: %d of %d jobs of %s\n%s\n", text.OneLine(out), r.Cleaning.Left, r.Cleaning.Read,
			text.OneLine(sel.File), strings.Join(logs.CleaningLines(&r.Cleaning), "\n"))
	}, nil)
}

func (p *program) traceGenerate(c *cli.Context) error {
	n, seed, out := int64(c.Int("jobs")), c.Uint64("seed"), c.String("out")
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
		header, jobs = workload.RecordHeader(in.Workload, in.Unit()), workload.AsRecords(source, in.Workload, n)
		note += " " + in.Scenario.Name
		for _, o := range in.overrides {
			note += " --set " + o
		}
	} else if firstSet(c, "set", "load") != "" {
		return usagef("trace generate: expected SCENARIO with --set and --load")
	}
	header.Lines = append(header.Lines, fmt.Sprintf("; MaxJobs: %d", n), fmt.Sprintf("; MaxRecords: %d", n),
		fmt.Sprintf("; Note: revopt %s: %s --jobs %d --seed %d", build().Version, text.OneLine(note), n, seed))
	if err := p.writeTrace(c, c.Args().First(), out, header.Lines, jobs, nil); err != nil || out == "" {
		return err
	}
	fmt.Fprintln(p.stdout, text.OneLine(out))
	return nil
}

// writeTrace writes the records that keep leaves, all if it is nil, to a file, which is not
// the input, or to standard output for "". A file whose name ends in .gz is compressed.
func (p *program) writeTrace(
	c *cli.Context, input, out string, header []string, records workload.Records, keep func(*workload.Record) bool,
) error {
	write := func(w io.Writer) error { return workload.WriteSWF(c.Context, w, header, records, keep) }
	if out == "" {
		return write(p.stdout)
	}
	return safefile.Guard{Inputs: []string{input}}.Write(out, func(w io.Writer) error {
		if !strings.HasSuffix(out, ".gz") {
			return write(w)
		}
		z := gzip.NewWriter(w)
		return errors.Join(write(z), z.Close())
	})
}

// written prints the name of a trace that was written, unless it is "", and facts about it
// on stderr, or the facts as JSON.
func (p *program) written(c *cli.Context, out string, facts any, table func(io.Writer)) error {
	if c.Bool("json") {
		return wording.JSON(p.stdout, facts)
	}
	if out != "" {
		fmt.Fprintln(p.stdout, text.OneLine(out))
	}
	if err := p.flush(); err != nil || c.Bool("quiet") {
		return err
	}
	table(p.stderr)
	return nil
}

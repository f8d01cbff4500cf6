package cli

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/ask"
	"revopt/simulate/workload"

	"github.com/urfave/cli/v2"
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
	return append(selectionFlags(workload.Keep), seedFlag("generated jobs"), jsonFlag(), explainFlag())
}

func (p *program) traceInfo(c *cli.Context) error {
	sel, err := selection(c)
	if err != nil {
		return err
	}
	t, err := await(c.Context, func() (*ask.Trace, error) { // a pipe may never end
		return ask.OpenTrace(c.Context, sel, c.Uint64("seed"), "")
	})
	if err != nil {
		return err
	}
	return p.tell(c, p.sign(t.Answer(c.Uint64("seed"))))
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
	t := &ask.Trace{Summary: s}
	stream, err := sel.Open(c.Context, 1, 0)
	if err != nil {
		return err
	}
	defer stream.Close()
	count := workload.Cleaning{Rule: sel.Rule}
	keep := func(rec *workload.Record) bool { return count.Repair(rec, stream.Nodes) }
	if err := p.writeTrace(c, sel.File, out, t.CleanHeader(build().Version), stream, keep); err != nil {
		return err
	}
	return p.tell(c, p.sign(t.Cleaned(out)))
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
		if has := in.Subject.Workload.Has(); has.Optional || has.Sites > 1 {
			return usagef("trace generate: expected jobs without optional parts, on one site: a trace records neither")
		}
		source, err := in.Subject.Workload.Jobs(seed, 0)
		if err != nil {
			return err
		}
		if closer, ok := source.(io.Closer); ok {
			defer closer.Close()
			n = min(n, int64(in.Subject.Workload.Size())) // a trace has the jobs it has
		}
		header, jobs = workload.RecordHeader(in.Subject.Workload, in.Subject.Unit()), workload.AsRecords(source, in.Subject.Workload, n)
		note += " " + in.Subject.Scenario.Name
		for _, o := range in.Overrides {
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
	source := "sp2-like"
	if c.NArg() > 0 {
		source = c.Args().First()
	}
	return p.tell(c, p.sign(answer.Answer{Command: "trace generate", Scenario: source, Seed: seed,
		Headline: answer.New("WRITTEN", answer.Named{Name: "file", Value: answer.Word(out)},
			answer.Named{Name: "jobs", Value: answer.Exactly(answer.Count, float64(n))})}))
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

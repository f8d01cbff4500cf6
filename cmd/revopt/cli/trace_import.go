package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/ask"
	"revopt/simulate/slurm"
	"revopt/simulate/slurm/conf"
	"revopt/simulate/workload"

	"github.com/urfave/cli/v2"
)

func traceImportFlags() []cli.Flag {
	return append(logFlags("submit"),
		poolsFlag("none", ", or none", slurm.PerPartition, slurm.PerGPU, "none"),
		boolFlag("anonymize", "replace names by u1, g1, a1, p1, q1 in order of appearance"),
		outFlag("`FILE` file to write; compressed if the name ends in .gz (default standard output)"),
		jsonFlag(), explainFlag(), quietFlag("warnings"))
}

// poolsFlag divides the jobs of a log into pools.
func poolsFlag(preset slurm.PoolRule, more string, rules ...slurm.PoolRule) cli.Flag {
	return choiceFlag("pools", string(preset),
		"`RULE` pools of the jobs: partition (each is one), gpu (jobs with GPUs, and the others)"+more, rules...)
}

// logFlags say how to read an accounting log; since is the default start of a wait.
func logFlags(since string) []cli.Flag {
	return []cli.Flag{
		choiceFlag("from", "", "`FORMAT` sacct, pbs, swf or csv (default: recognized by the first line)",
			workload.LogFormats()...),
		stringFlag("columns", "`LIST` columns of a csv: submit=NAME,run=NAME,units=NAME, also pool, start, end, wait, "+
			"estimate, user, account and queue"),
		stringFlag("partition", "`P` only jobs of this partition (of PBS: queue)"),
		presetFlag("units", "cores",
			"`UNIT` of a job: cores, nodes, gpu or billing"),
		nodesFlag("`N` size of the machine in that unit (default: the largest number busy at one time)"),
		stringFlag("time-zone", "`Z` zone of times that state none: UTC (default), Europe/Berlin, +01:00, local"),
		choiceFlag("since", since, "`WHEN` start of the wait: submit, or eligible (after holds and dependencies)",
			"submit", "eligible"),
	}
}

func (p *program) traceImport(c *cli.Context) error {
	if err := exactly(c, "FILE"); err != nil {
		return err
	}
	out := c.String("out")
	if c.Bool("json") && out == "" {
		return usagef("trace import: expected -o FILE with --json")
	}
	note := "trace import"
	if !c.Bool("anonymize") { // a path or a partition is a name, too
		note = commandLine(p.args)
	}
	r, err := p.importLog(c, out, note)
	switch {
	case err != nil:
		return err
	case out == "":
		return p.remark(c, p.sign(r.Answer()))
	}
	return p.tell(c, p.sign(r.Answer()))
}

// importLog writes a log as a trace, to standard output for "", with a note on its origin.
func (p *program) importLog(c *cli.Context, out, note string) (*ask.Import, error) {
	log, name, err := p.readLog(c)
	if err != nil {
		return nil, err
	}
	note = strings.TrimPrefix(note, "revopt ")
	header := append(log.Header.Lines, fmt.Sprintf("; Note: revopt %s: %s", build().Version, text.OneLine(note)))
	err = p.writeTrace(c, c.Args().First(), out, header, log, nil)
	return ask.NewImport(log, name, out), err
}

// readLog imports the log of the command line, and returns its name in messages.
func (p *program) readLog(c *cli.Context) (log *slurm.Imported, name string, err error) {
	zone, err := parsed("time-zone", c.String("time-zone"), slurm.ParseZone)
	if err != nil {
		return nil, "", err
	}
	options := slurm.ImportOptions{
		Format: workload.LogFormat(c.String("from")), Partition: c.String("partition"),
		Zone: zone, Anonymize: c.Bool("anonymize"),
		Eligible: c.String("since") == "eligible", Nodes: c.Int("nodes"), Runs: c.IsSet("pool"),
	}
	if rule := slurm.PoolRule(c.String("pools")); rule != "none" && !(rule == slurm.Proposed && c.IsSet("nodes")) {
		options.Pools = rule
	}
	if c.IsSet("units") {
		options.Units, err = parsed("units", c.String("units"), slurm.ParseUnits)
		if err != nil {
			return nil, "", err
		}
	}
	if file := c.String("conf"); file != "" && options.Nodes == 0 {
		machine, err := conf.ReadMachine(file)
		if err != nil {
			return nil, "", usagef("--conf: %v", err)
		}
		options.Nodes = machine.Of(options.Units.Word())
	}
	if list := c.String("columns"); list != "" || options.Format == workload.CSV {
		if options.Format != "" && options.Format != workload.CSV {
			return nil, "", usagef("--columns: expected --from csv, got --from %s", options.Format)
		}
		if c.IsSet("units") {
			return nil, "", usagef("--units: a table has its units in a column: expected --columns units=NAME")
		}
		if list != "" {
			options.Columns, err = parsed("columns", list, slurm.ParseColumns)
			if err != nil {
				return nil, "", err
			}
		}
		if options.Columns["pool"] != "" && !c.IsSet("pools") {
			options.Pools = slurm.PerPartition
		}
	}
	name, in := "standard input", p.stdin
	if file := c.Args().First(); file != "-" {
		f, err := await(c.Context, func() (*os.File, error) { return os.Open(file) })
		if err != nil {
			return nil, "", &workload.Error{File: file, Message: text.Cause(err), Cause: err}
		}
		defer f.Close()
		name, in = file, f
	}
	log, err = slurm.Import(c.Context, name, interruptible(c.Context, in), options)
	return log, name, err
}

// interruptible returns a reader that ends with the context, even while r blocks.
func interruptible(ctx context.Context, r io.Reader) io.Reader {
	in, out := io.Pipe()
	context.AfterFunc(ctx, func() { out.CloseWithError(ctx.Err()) })
	go func() {
		_, err := io.Copy(out, r)
		out.CloseWithError(err)
	}()
	return in
}

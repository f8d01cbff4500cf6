package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/workload"
)

func (p *program) initCommand() *cli.Command {
	return &cli.Command{
		Name:      "init",
		Usage:     "a scenario to begin with, from a log of jobs",
		ArgsUsage: "LOG [flags]",
		Description: `Writes a scenario whose customers are the accounts of a log of jobs, else its groups,
queues or users: the largest that together have 90 % of the work, and one class for all
others, at most 12 classes in all. Comments state the jobs, the unit-hours and the recorded
waits of each. Prices and what lateness costs are guesses, and are marked as such.

LOG is a trace (SWF) or a log that revopt trace import reads; - is standard input. A log
that is not a trace is imported to NAME.swf.gz beside the scenario NAME.yaml. Existing
files are not overwritten.

Examples:
  sacct -aPD -S 2026-01-01 -o ALL | revopt init - -o site.yaml
  revopt init jobs.swf.gz --by queue -o site.yaml
  revopt simulate site.yaml`,
		Flags: append([]cli.Flag{
			stringFlag("by", "`KIND` account, group, queue, user or partition (default: the first but the last that divides the jobs)"),
			outFlag("`FILE` scenario to write (default standard output)"), memoryFlag(), quietFlag("counts"),
		}, logFlags("unit", "submit")...),
		Action: p.init,
	}
}

func (p *program) init(c *cli.Context) error {
	if err := exactly(c, "LOG"); err != nil {
		return err
	}
	log, out := workload.Selection{File: c.Args().First(), Nodes: c.Int("nodes")}, c.String("out")
	direct, err := p.isTrace(c)
	if err != nil {
		return err
	}
	trace := strings.TrimSuffix(out, filepath.Ext(out)) + ".swf.gz"
	switch by := c.String("by"); {
	case by != "" && !slices.Contains(workload.PartyKinds(), by):
		return usagef("--by: expected account, group, queue, user or partition, got %q", by)
	case c.IsSet("nodes") && (log.Nodes < 1 || log.Nodes > workload.MaxNodes):
		return usagef("--nodes: expected a whole number from 1 to %d, got %d", workload.MaxNodes, log.Nodes)
	case !direct && out == "":
		return usagef("init: expected -o FILE: this log becomes a trace, which is written beside the scenario")
	case exists(out):
		return usagef("--out: expected a new file, %s exists", out)
	case direct:
		return p.writeDraft(c, log)
	case exists(trace):
		return usagef("init: %s exists, remove it or name another scenario: the trace is written there", trace)
	}
	r, err := p.importLog(c, "unit", trace)
	if err == nil {
		err = p.writeDraft(c, workload.Selection{File: trace})
	}
	if err != nil {
		os.Remove(trace) // incomplete without its scenario
		return err
	}
	if err := p.flush(); err != nil || c.Bool("quiet") {
		return err
	}
	r.Table(p.stderr)
	return nil
}

// isTrace reports whether a scenario can name the log itself, without an import.
func (p *program) isTrace(c *cli.Context) (bool, error) {
	log := c.Args().First()
	for _, flag := range []string{"from", "partition", "unit", "time-zone", "since"} {
		if c.IsSet(flag) || log == "-" {
			return false, nil
		}
	}
	if log == scenario.SP2Like {
		return true, nil
	}
	format, err := workload.FormatOf(log)
	return format == workload.SWF, err
}

func exists(path string) bool {
	info, err := os.Stat(path)
	return err == nil && (info.Mode().IsRegular() || info.IsDir())
}

// writeDraft writes the scenario of a trace.
func (p *program) writeDraft(c *cli.Context, trace workload.Selection) error {
	out, path := c.String("out"), trace.File
	if out != "" && path != scenario.SP2Like {
		file := filepath.Join(followed(filepath.Dir(path)), filepath.Base(path))
		if near, err := filepath.Rel(followed(filepath.Dir(out)), file); err == nil {
			path = near
		}
	}
	d, err := p.draft(c.Context, trace, c.String("by"), path)
	switch {
	case err != nil:
		return err
	case d.Nodes == 0:
		return usagef("%s: the header gives neither MaxProcs nor MaxNodes: state the size of the machine with --nodes",
			trace.File)
	case out == "":
		return d.Write(p.stdout)
	}
	if err := safefile.Write(out, d.Write); err != nil {
		return err
	}
	fmt.Fprintf(p.stdout, "%s: %s, %s\n", text.OneLine(out), text.OneLine(path), d.Summary())
	return nil
}

// draft reads a trace for a scenario that has it under a path.
func (p *program) draft(ctx context.Context, trace workload.Selection, by, path string) (*report.Draft, error) {
	name := strings.TrimSuffix(strings.TrimSuffix(filepath.Base(path), ".gz"), ".swf")
	d := &report.Draft{Path: path, Name: name, Origin: commandLine(p.args), Version: build().Version}
	return d, d.Read(ctx, trace, by)
}

// drafted returns the scenario of a trace that is given in place of a scenario.
func (p *program) drafted(ctx context.Context, name string) (*scenario.Document, error) {
	d, err := p.draft(ctx, workload.Selection{File: name}, "", filepath.Base(name))
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if err := d.Write(&b); err != nil {
		return nil, err
	}
	return scenario.Draft(name, b.Bytes())
}

package main

import (
	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/workload"
)

func (p *program) traceCommand() *cli.Command {
	return &cli.Command{
		Name:      "trace",
		Usage:     "look at, clean and synthesise traces of jobs, fit job classes to one",
		ArgsUsage: "info FILE | clean FILE | generate | fit FILE",
		Description: `A trace is a file in the Standard Workload Format, plain or compressed by gzip,
or sp2-like for generated jobs that resemble those of the SDSC SP2.

Examples:
  revopt trace info SDSC-SP2-1998-4.2-cln.swf.gz --jobs last:5000 -o sp2.png
  revopt trace clean raw.swf --cleaning drop -o clean.swf.gz
  revopt trace generate --jobs 1000 --seed 7 -o jobs.swf
  revopt trace fit sp2-like > fit.yaml`,
		Subcommands: []*cli.Command{p.traceInfoCommand(), p.traceCleanCommand(), p.traceGenerateCommand(), p.traceFitCommand()},
	}
}

// selectionFlags choose jobs of a trace.
func selectionFlags(rule workload.Rule) []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "jobs", Value: "all", Usage: "`SUBSET` all, last:N, first:N or from:T1:T2 (submit times, as 30d)"},
		&cli.StringFlag{Name: "cleaning", Value: rule.String(), Usage: "`RULE` for jobs that never ran: keep (for 1 s), reject or drop"},
		&cli.IntFlag{Name: "nodes", Usage: "`N` size of the machine, where the trace does not say or is wrong"},
		&cli.BoolFlag{Name: "sort", Usage: "sort a trace that is out of order, in memory, instead of refusing it"},
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

func seedFlag() cli.Flag {
	return &cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` seed of generated jobs"}
}

// cleaningReport is what was done to the jobs of a trace, as scripts read it.
type cleaningReport struct {
	Rule         string `json:"rule"`
	Read         int64  `json:"read"`
	Left         int64  `json:"left"`
	NoRunTime    int64  `json:"no_run_time"`
	NoProcessors int64  `json:"no_processors"`
	Allocated    int64  `json:"allocated_processors"`
	NoEstimate   int64  `json:"no_estimate"`
	Overrun      int64  `json:"overrun"`
	Wide         int64  `json:"too_wide"`
}

func newCleaningReport(c workload.Cleaning) cleaningReport {
	return cleaningReport{c.Rule.String(), c.Read, c.Left, c.NoRunTime, c.NoProcessors, c.Allocated, c.NoEstimate, c.Overrun, c.Wide}
}

// lines say in words what was counted, and what it means; zeros are left out.
func (c cleaningReport) lines() []string {
	fate := map[string]string{"keep": "run for 1 s", "reject": "are rejected at once", "drop": "are left out"}[c.Rule]
	unsized := map[string]string{"keep": "take 1", "reject": "are rejected at once", "drop": "are left out"}[c.Rule]
	var list []string
	for _, l := range []struct {
		n    int64
		text string
	}{
		{c.NoRunTime, "never ran and " + fate},
		{c.NoProcessors, "have no number of processors and " + unsized},
		{c.Allocated, "take the processors allocated, as the request is unknown"},
		{c.NoEstimate, "have no estimate: it is their run time"},
		{c.Overrun, "ran longer than their estimate"},
		{c.Wide, "are wider than the machine and are rejected"},
	} {
		if l.n > 0 {
			list = append(list, separated(float64(l.n), 0)+" "+l.text)
		}
	}
	return list
}

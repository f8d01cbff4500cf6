package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/slurm"
	"revopt/simulate/workload"
)

func traceReplayFlags() []cli.Flag {
	return append(logFlags("by", "eligible"),
		presetFlag("policy", "easy", "`LIST` policies on dedicated nodes, such as easy,fcfs"),
		presetFlag("within", "2s", "`TIME` tolerance of a start time"),
		jobsFlag(),
		memoryFlag(), jsonFlag())
}

func (p *program) traceReplay(c *cli.Context) error {
	end(exactly(c, "FILE"))
	policies := need(parsePolicies(c.String("policy")))
	for _, q := range policies {
		if n := q.Spec.Needs; n.Shared || n.Deadlines || n.Optional || n.Preempts {
			return usagef("--policy: expected policies on dedicated nodes that need neither deadlines nor preemption,"+
				" got %s", q.Label())
		}
	}
	within, err := scenario.ParseTime(c.String("within"))
	if err != nil || within < 0 || within > 3600 {
		return usagef("--within: expected a time of at most an hour, such as 2s, got %q", c.String("within"))
	}
	subset, err := scenario.ParseSubset(c.String("jobs"))
	if err != nil {
		return usagef("--jobs: %v", err)
	}
	log, name, err := p.readLog(c)
	if err != nil {
		return err
	}
	defer log.Close()
	if len(log.Header.PoolUnits()) > 0 && !(c.IsSet("partition") && c.IsSet("nodes")) {
		return usagef("trace replay: expected --partition P and --nodes N: the partitions of %s count different units",
			text.OneLine(name))
	}
	nodes := log.Header.Nodes()
	if c.IsSet("nodes") {
		nodes = c.Int("nodes") // in place of those of the header
	}
	r := report.NewLogReplay(log, name, build().Version, c.String("since"), subset, nodes, within)
	jobs := need(slurm.LoggedJobs(workload.Take(log, subset)))
	for i, q := range policies {
		replay := slurm.LogReplay{Jobs: jobs, Nodes: nodes, Policy: q.Spec, Settings: q.Settings, Tolerance: within}
		decisions, err := replay.Run(c.Context)
		var logged, simulated float64
		if err == nil {
			logged, simulated, err = replay.Waits(c.Context)
		}
		if err != nil && i > 0 {
			err = fmt.Errorf("trace replay: stopped after %d of %d policies: %w", i, len(policies), err)
			return errors.Join(p.printReplay(c, r), err)
		}
		if err != nil {
			return err
		}
		r.Add(q.Label(), decisions, logged, simulated)
	}
	return p.printReplay(c, r)
}

// printReplay prints the comparison.
func (p *program) printReplay(c *cli.Context, r *report.LogReplay) error {
	if err := p.deliver(c, r, r.Table, nil); err != nil || c.Bool("json") {
		return err
	}
	for _, x := range r.Warnings {
		fmt.Fprintf(p.stderr, "revopt: warning: %s\n", text.OneLine(x.Text))
	}
	return nil
}

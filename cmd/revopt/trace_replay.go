package main

import (
	"errors"
	"fmt"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/slurm"
)

func (p *program) traceReplayCommand() *cli.Command {
	return &cli.Command{
		Name:      "replay",
		Usage:     "would a policy have started the jobs of a log when they started?",
		ArgsUsage: "FILE [flags]",
		Description: `Asks of every start in an accounting log or trace whether a policy would have made it
then, given what ran and waited: one step at a time, as whole schedules diverge after the
first difference. A start is allowed where the policy, from the state of the log at most
--within before it, makes it at most --within after it. Estimates are the time limits;
jobs without one count as a year long. Mean waits of a simulation of all jobs are
for a loose comparison. Of a start that is not allowed, the nodes were taken by other jobs
of the queue, or the policy keeps them free for one.

Examples:
  sacct -aPX -S 2026-01-01 -o ALL | revopt trace replay - --nodes 64
  revopt trace replay sacct.txt --policy easy,conservative,fcfs --within 5s --partition batch`,
		Flags: append(logFlags("eligible"),
			&cli.StringFlag{Name: "policy", Value: "easy", Usage: "`LIST` of policies on dedicated nodes, as easy,fcfs"},
			&cli.StringFlag{Name: "within", Value: "2s", Usage: "`TIME` that a start may be off"},
			memoryFlag(), jsonFlag()),
		Action: p.traceReplay,
	}
}

func (p *program) traceReplay(c *cli.Context) error {
	if err := exactly(c, "FILE"); err != nil {
		return err
	}
	policies, err := parsePolicies(c.String("policy"))
	if err != nil {
		return err
	}
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
	log, name, err := p.readLog(c)
	if err != nil {
		return err
	}
	defer log.Close()
	nodes := log.Header.Nodes()
	if c.IsSet("nodes") {
		nodes = c.Int("nodes") // in place of those of the header
	}
	r := report.NewLogReplay(log, name, build().Version, nodes, within)
	jobs, err := slurm.LoggedJobs(log)
	if err != nil {
		return err
	}
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
	if c.Bool("json") {
		return p.printJSON(r)
	}
	r.Table(p.stdout)
	if err := p.flush(); err != nil {
		return err
	}
	for _, x := range r.Warnings {
		fmt.Fprintf(p.stderr, "revopt: warning: %s\n", text.OneLine(x.Text))
	}
	return nil
}

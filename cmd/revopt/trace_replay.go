package main

import (
	"errors"
	"fmt"
	"io"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
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

// replayReport is how policies compare with a log.
type replayReport struct {
	File     string           `json:"file"`
	Version  string           `json:"version"`
	Nodes    int              `json:"nodes"`
	Starts   int              `json:"starts"`
	Within   study.Number     `json:"within_seconds"`
	MeanWait study.Number     `json:"mean_wait"`
	Policies []replayedPolicy `json:"policies"`

	Warnings []slurm.ImportWarning `json:"warnings"`
}

// replayedPolicy is what a policy makes of the starts.
type replayedPolicy struct {
	Name     string         `json:"name"`
	Allowed  int            `json:"allowed"`
	Late     int            `json:"allowed_earlier"` // of them, by more than the tolerance
	Overfull int            `json:"overfull"`
	MeanWait study.Number   `json:"mean_wait"` // simulated
	Denied   []replayedDeny `json:"not_allowed"`
}

type replayedDeny struct {
	Job     int64        `json:"job"`
	Wait    study.Number `json:"wait"`
	Width   int          `json:"width"`
	Free    int          `json:"free"`
	Running int          `json:"running"`
	Waiting int          `json:"waiting"`
	Reason  string       `json:"reason"` // taken or kept
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
			return usagef("--policy: expected policies on dedicated nodes that need neither deadlines nor preemption, got %s", q.Label())
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
	r := &replayReport{File: name, Version: build().Version, Nodes: log.Header.Nodes(), Within: study.Number(within), Warnings: append([]slurm.ImportWarning{}, log.Warnings...)}
	if c.IsSet("nodes") {
		r.Nodes = c.Int("nodes") // whatever the header of a trace says
	}
	open := int64(0)
	for _, n := range log.Counts {
		if n.Name == "running" || n.Name == "waiting" {
			open += n.N
		}
	}
	if open > 0 {
		r.Warnings = append(r.Warnings, slurm.ImportWarning{Kind: "open", Text: text.Plural(int(open), "job") + " still running or waiting: starts beside them are judged as if they were not there"})
	}
	jobs, err := slurm.LoggedJobs(log)
	if err != nil {
		return err
	}
	for i, q := range policies {
		replay := slurm.LogReplay{Jobs: jobs, Nodes: r.Nodes, Policy: q.Spec, Settings: q.Settings, Tolerance: within}
		found, err := replay.Run(c.Context)
		var logged, simulated float64
		if err == nil {
			logged, simulated, err = replay.Waits(c.Context)
		}
		if err != nil {
			if i > 0 {
				err = errors.Join(p.printReplay(c, r), fmt.Errorf("trace replay: stopped after %d of %d policies: %w", i, len(policies), err))
			}
			return err
		}
		r.Starts, r.MeanWait = found.Starts, study.Number(logged)
		row := replayedPolicy{Name: q.Label(), Allowed: found.Allowed, Late: found.Late, Overfull: found.Overfull, MeanWait: study.Number(simulated), Denied: []replayedDeny{}}
		for _, d := range found.Denied {
			reason := "taken"
			if d.Left >= d.Job.Width {
				reason = "kept"
			}
			row.Denied = append(row.Denied, replayedDeny{d.Job.Number, study.Number(d.Job.Start - d.Job.Submit), d.Job.Width, d.Free, d.Running, d.Waiting, reason})
		}
		r.Policies = append(r.Policies, row)
	}
	return p.printReplay(c, r)
}

// printReplay prints the comparison as it was asked for.
func (p *program) printReplay(c *cli.Context, r *replayReport) error {
	if c.Bool("json") {
		return p.printJSON(r)
	}
	r.print(p.stdout)
	if err := p.flush(); err != nil {
		return err
	}
	for _, x := range r.Warnings {
		fmt.Fprintf(p.stderr, "revopt: warning: %s\n", text.OneLine(x.Text))
	}
	return nil
}

// print writes the comparison for a person to read.
func (r *replayReport) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s on %s, allowed within %s\n\n", text.OneLine(r.File), text.Plural(r.Starts, "start"), text.Plural(r.Nodes, "node"), text.Duration(float64(r.Within)))
	t := text.NewTable("", "allowed", "", "earlier", "taken", "kept", "overfull", "mean wait")
	t.Row("log", "", "", "", "", "", "", text.Duration(float64(r.MeanWait)))
	for _, p := range r.Policies {
		kept := 0
		for _, d := range p.Denied {
			if d.Reason == "kept" {
				kept++
			}
		}
		count := func(n int) string { return text.Fixed(float64(n), 0) }
		t.Row(p.Name, count(p.Allowed), text.Percent(float64(p.Allowed)/float64(r.Starts)), count(p.Late), count(len(p.Denied)-kept), count(kept), count(p.Overfull), text.Duration(float64(p.MeanWait)))
	}
	t.Print(w)
	fmt.Fprintln(w, "\nearlier: allowed, and the policy would have made the start earlier; not allowed: the nodes are taken by")
	fmt.Fprintln(w, "other jobs, kept for one, or overfull: more ran than there are nodes, or it needs more")
	const most = 20
	for _, p := range r.Policies[:1] {
		if len(p.Denied) == 0 {
			continue
		}
		fmt.Fprintf(w, "\nnot allowed by %s\n", p.Name)
		t := text.NewTable("job", "nodes", "waited", "free", "running", "waiting", "why")
		for _, d := range p.Denied[:min(len(p.Denied), most)] {
			t.Row(fmt.Sprint(d.Job), fmt.Sprint(d.Width), text.Duration(float64(d.Wait)), fmt.Sprint(d.Free), fmt.Sprint(d.Running), fmt.Sprint(d.Waiting), d.Reason)
		}
		t.Print(w)
		if more := len(p.Denied) - most; more > 0 {
			fmt.Fprintf(w, "and %d more: see --json\n", more)
		}
	}
}

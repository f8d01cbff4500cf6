package cli

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/ask"
	"revopt/simulate/quote"
	"revopt/simulate/slurm"
	"revopt/simulate/subject"
	"revopt/simulate/workload"
)

func traceReplayFlags() []cli.Flag {
	return append(logFlags("eligible"),
		&cli.StringSliceFlag{Name: "policy", Value: cli.NewStringSlice("easy"),
			Usage: "`LIST` policies on dedicated nodes, such as easy,fcfs"},
		presetFlag("within", "2s", "`TIME` tolerance of a start time"),
		jobsFlag(),
		under(machineGroup, listFlag("pool",
			"`NAME=N` a partition of N units, and its nodes for --down: big=40:n[1-40]; once for each")),
		under(machineGroup, listFlag("down",
			"`FILE` times at which nodes were down, of sacctmgr show event -P or scontrol show res -o")),
		under(machineGroup, stringFlag("calculated",
			"`TIME` at which slurmctld calculated priorities, such as its start")),
		under(machineGroup, stringFlag("sprio",
			"`FILE` outputs of sprio, each after a line with # and the time in Unix seconds")),
		boolFlag("quotes", "score quotes of start times at submission instead, by simulations under the first policy"),
		under(methodGroup, wholeFlag("quoted", 1, math.MaxInt, 5000,
			"`N` with --quotes: jobs to quote at most, evenly over the log")),
		stringFlag("records", "`FILE` with --quotes: write a line of CSV for every quoted job"),
		seedFlag("the simulations of --quotes"), jsonFlag(), explainFlag())
}

func (p *program) traceReplay(c *cli.Context) error {
	if err := exactly(c, "FILE"); err != nil {
		return err
	}
	policies, err := ask.ParsePolicies(p.specs, c.StringSlice("policy")...)
	if err != nil {
		return err
	}
	for _, q := range policies {
		if n := q.Spec.Needs; n.Shared || n.Deadlines || n.Optional || n.Preempts || n.Recorded || q.Spec.Program {
			return usagef("--policy: expected policies on dedicated nodes that need neither deadlines nor preemption"+
				" and are simulated, got %s", q.Label())
		}
	}
	within, err := scenario.ParseTime(c.String("within"))
	if err != nil || within < 0 || within > 3600 {
		return usagef("--within: expected a time of at most an hour, such as 2s, got %q", c.String("within"))
	}
	if c.IsSet("records") && !c.Bool("quotes") {
		return usagef("--records: expected --quotes with it")
	}
	subset, err := parsed("jobs", c.String("jobs"), scenario.ParseSubset)
	if err != nil {
		return err
	}
	log, name, err := p.readLog(c)
	if err != nil {
		return err
	}
	if len(log.Header.PoolUnits()) > 0 && !(c.IsSet("partition") && c.IsSet("nodes")) {
		return usagef("trace replay: expected --partition P and --nodes N: the partitions of %s count different units",
			text.OneLine(name))
	}
	nodes := log.Header.Nodes()
	if c.IsSet("nodes") {
		nodes = c.Int("nodes") // in place of those of the header
	}
	jobs, err := slurm.LoggedJobs(workload.Take(log, subset))
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(jobs, func(j slurm.LoggedJob) bool { return !math.IsNaN(j.Start) }) {
		return &workload.Error{File: name, Message: "expected jobs that have started, got none"}
	}
	base, _ := log.Header.Int("UnixStartTime")
	replay := slurm.LogReplay{Nodes: nodes, Tolerance: within, Names: workload.NamesByNumber(log.Header.Names())}
	moments, err := past(c, &replay, jobs, base)
	if err != nil {
		return err
	}
	r := ask.NewReplay(log, name, c.String("since"), subset, replay.Nodes, within)
	if c.Bool("quotes") {
		return p.replayQuotes(c, r, replay, policies)
	}
	return p.replayPolicies(c, r, replay, policies, moments, float64(base))
}

// replayQuotes scores quotes of start times at submission.
func (p *program) replayQuotes(
	c *cli.Context, r *ask.Replay, replay slurm.LogReplay, policies []subject.Policy,
) error {
	if len(replay.Pools) > 0 || len(policies) > 1 {
		return usagef("--quotes: expected one policy and no --pool")
	}
	jobs := replay.Recorded()
	score, err := quote.ScoreQuotes(c.Context, jobs, replay.Nodes, policies[0], c.Int("quoted"), c.Uint64("seed"))
	if err != nil {
		return err
	}
	r.Score(jobs, score)
	return p.tell(c, p.sign(r.Answer(c.Uint64("seed"))), flagFile(c, "records", r.WriteQuotes))
}

// replayPolicies compares the starts of the log with the decisions of policies, and the priorities at some moments
// with theirs. The base is the Unix time of time 0.
func (p *program) replayPolicies(
	c *cli.Context, r *ask.Replay, replay slurm.LogReplay, policies []subject.Policy, moments []slurm.Moment,
	base float64,
) error {
	for i, q := range policies {
		replay.Policy, replay.Settings = q.Spec, q.Settings
		r.Warnings = append(r.Warnings, answer.WarnAll(q.Unread())...)
		decisions, err := replay.Run(c.Context)
		var waits slurm.LogWaits
		if err == nil {
			waits, err = replay.Waits(c.Context)
		}
		if err != nil && i > 0 {
			err = fmt.Errorf("trace replay: stopped after %d of %d policies: %w", i, len(policies), err)
			return errors.Join(p.tell(c, p.sign(r.Answer(c.Uint64("seed")))), err)
		}
		if err != nil {
			return err
		}
		r.Add(q, decisions, waits)
		if len(moments) > 0 && q.Spec.Joint {
			pairs, same, err := replay.SameOrder(c.Context, moments, base)
			if err != nil {
				return err
			}
			r.Order(len(moments), pairs, same)
		}
	}
	return p.tell(c, p.sign(r.Answer(c.Uint64("seed"))))
}

// past completes the replay by the jobs, the pools, their outages and the time of a
// calculation, and returns the known priorities. The base is the Unix time of time 0.
func past(c *cli.Context, r *slurm.LogReplay, jobs []slurm.LoggedJob, base int) ([]slurm.Moment, error) {
	zone, _ := slurm.ParseZone(c.String("time-zone"))
	down, err := slurm.ReadOutages(zone, c.StringSlice("down")...)
	if err != nil {
		return nil, err
	}
	if c.IsSet("down") && !c.IsSet("pool") {
		return nil, usagef("--down: expected --pool NAME=N:NODES with it, which says whose nodes they are")
	}
	numbers := map[string]int{}
	for i, pool := range c.StringSlice("pool") {
		p, err := parsed("pool", pool, func(word string) (slurm.LogPool, error) {
			return slurm.ParsePool(word, down, int64(base))
		})
		if err != nil {
			return nil, err
		}
		if i == 0 {
			r.Nodes = 0 // the pools are all of the machine
		}
		r.Pools = append(r.Pools, p)
		r.Nodes += p.Nodes
		numbers[p.Name] = i + 1
	}
	for _, j := range jobs {
		j.Pool = numbers[r.Names["partition"][int32(j.Details.Partition)]] - 1
		if len(r.Pools) == 0 {
			j.Pool = 0
		}
		if j.Pool >= 0 {
			r.Jobs = append(r.Jobs, j)
		}
	}
	if at := c.String("calculated"); at != "" {
		t, ok := slurm.ParseTime(at, zone)
		if !ok {
			return nil, usagef("--calculated: expected a time such as 2026-11-15T08:46:57, got %q", at)
		}
		r.Calculated = t - float64(base)
	}
	if file := c.String("sprio"); file != "" {
		return slurm.ReadMoments(file)
	}
	return nil, nil
}

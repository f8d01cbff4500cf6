package cli

import (
	"errors"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/slurm"
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
		stringFlag("records", "`FILE` with --quotes: write a line of CSV for every quoted job"),
		seedFlag("the simulations of --quotes"), jsonFlag(), explainFlag())
}

func (p *program) traceReplay(c *cli.Context) error {
	if err := exactly(c, "FILE"); err != nil {
		return err
	}
	x := ask.Replaying{Specs: p.specs, Policies: c.StringSlice("policy"), Since: c.String("since"), Nodes: c.Int("nodes"),
		Pools: c.StringSlice("pool"), Down: c.StringSlice("down"), Calculated: c.String("calculated"),
		Priorities: c.String("sprio"), Quotes: c.Bool("quotes"), Seed: c.Uint64("seed")}
	var err error
	x.Within, err = scenario.ParseTime(c.String("within"))
	if err != nil || x.Within < 0 || x.Within > 3600 {
		return usagef("--within: expected a time of at most an hour, such as 2s, got %q", c.String("within"))
	}
	if c.IsSet("records") && !x.Quotes {
		return usagef("--records: expected --quotes with it")
	}
	x.Subset, err = parsed("jobs", c.String("jobs"), scenario.ParseSubset)
	if err != nil {
		return err
	}
	x.Zone, err = parsed("time-zone", c.String("time-zone"), slurm.ParseZone)
	if err != nil {
		return err
	}
	if err := x.Check(); err != nil {
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
	r, err := x.Replay(c.Context, log, name)
	if r == nil {
		return err
	}
	return errors.Join(p.tell(c, p.sign(r.Answer(x.Seed)), flagFile(c, "records", r.WriteQuotes)), err)
}

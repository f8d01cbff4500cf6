package cli

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
	"revopt/simulate/study/quote"
	"revopt/simulate/workload"
)

func quoteFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("squeue", "`FILE` output of squeue: the running and waiting jobs now"),
		stringFlag("sinfo", "`FILE` output of sinfo: the nodes that can run jobs now"),
		stringFlag("at", "`T` moment of the scenario's jobs in place of --squeue, from the first, such as 30d"),
		stringFlag("job", "`SPEC` quote one more job, such as width=64,estimate=6h,class=industry, "+
			"with a pool if the class has several (default all waiting ones)"),
		listFlag("policy", "`P` policy that starts jobs (default the scenario's first)"),
		stringFlag("time-zone", "`Z` zone of times that state none: UTC (default), Europe/Berlin, +01:00, local"),
		wholeFlag("replications", 2, 1<<20, 100, "`N` number of simulations"),
		seedFlag("the simulations"), jsonFlag(), quietFlag("progress"),
	}, scenarioFlags()...)
}

func (p *program) quote(c *cli.Context) error {
	if c.IsSet("squeue") == c.IsSet("at") || c.IsSet("sinfo") && !c.IsSet("squeue") {
		return usagef("quote: expected either --squeue FILE, --sinfo beside it, or --at T")
	}
	q := quote.Quote{Seed: c.Uint64("seed"), Replications: c.Int("replications")}
	if c.IsSet("job") {
		if err := parseQuoted(c.String("job"), &q); err != nil {
			return err
		}
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	q.Subject = in.Subject
	policies, err := in.Policies()
	if err != nil {
		return err
	}
	if c.IsSet("policy") {
		policies, err = study.ParsePolicies(p.specs, c.StringSlice("policy")...)
		if err != nil {
			return err
		}
	}
	q.Policy = policies[0]
	if c.IsSet("at") {
		q.At, err = parsed("at", c.String("at"), scenario.ParseTime)
		if err != nil {
			return err
		}
	} else {
		zone, err := parsed("time-zone", c.String("time-zone"), slurm.ParseZone)
		if err != nil {
			return err
		}
		q.Queue, q.Now, err = slurm.ReadQueue(c.String("squeue"), zone)
		if err != nil {
			return err
		}
		if q.Queue == nil {
			q.Queue = []slurm.QueuedJob{} // an empty queue is a state
		}
		if c.IsSet("sinfo") {
			nodes, cpus, err := slurm.ReadNodes(c.String("sinfo"))
			if err != nil {
				return err
			}
			q.Units = cpus
			if in.Unit() == "node" {
				q.Units = nodes
			}
		}
	}
	result, err := q.Run(c.Context)
	if err != nil {
		return err
	}
	view := report.Quote{Result: result, Unit: in.Unit()}
	return p.deliver(c, result, view.Table, nil)
}

// parseQuoted reads the job to quote.
func parseQuoted(spec string, q *quote.Quote) error {
	for field := range strings.SplitSeq(spec, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		var err error
		switch key {
		case "width":
			q.Width, err = strconv.Atoi(value)
		case "estimate":
			q.Estimate, err = scenario.ParseTime(value)
		case "class":
			q.Class = value
		case "pool":
			q.Pool = value
		default:
			return usagef("--job: expected width, estimate, class and pool, got %q", field)
		}
		if err != nil {
			return usagef("--job: expected width=64,estimate=6h,class=industry, got %q", field)
		}
	}
	if q.Width < 1 || q.Width > workload.MaxNodes || !(q.Estimate > 0) {
		return usagef("--job: expected a width and an estimate above 0, got %q", spec)
	}
	return nil
}

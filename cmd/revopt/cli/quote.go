package cli

import (
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/workload"
)

func quoteFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("squeue", "`FILE` output of squeue: the running and waiting jobs now"),
		stringFlag("sinfo", "`FILE` output of sinfo: the nodes that can run jobs now"),
		stringFlag("at", "`T` moment of the scenario's jobs in place of --squeue, from the first, such as 30d"),
		stringFlag("job", "`SPEC` quote one more job, such as width=64,estimate=6h,class=industry, "+
			"with a pool if the class has several, and qos= if not that of most of its jobs (default all waiting ones)"),
		listFlag("policy", "`P` policy that starts jobs (default the scenario's first)"),
		stringFlag("time-zone", "`Z` zone of times that state none: UTC (default), Europe/Berlin, +01:00, local"),
		wholeFlag("replications", 2, 1<<20, 100, "`N` number of simulations"),
		seedFlag("the simulations"), quietFlag("warnings"),
	}, append(answerFlags("the table"), scenarioFlags()...)...)
}

func (p *program) quote(c *cli.Context) error {
	if c.IsSet("squeue") == c.IsSet("at") || c.IsSet("sinfo") && !c.IsSet("squeue") {
		return usagef("quote: expected either --squeue FILE, --sinfo beside it, or --at T")
	}
	r := p.asked(c)
	if c.IsSet("job") {
		if err := parseQuoted(c.String("job"), &r.Job); err != nil {
			return err
		}
	}
	if err := exactly(c, "SCENARIO"); err != nil {
		return err
	}
	q, err := ask.Open(c.Context, r, p.answering(c))
	if err != nil {
		return err
	}
	if c.IsSet("at") {
		q.Job.At, err = parsed("at", c.String("at"), scenario.ParseTime)
		if err != nil {
			return err
		}
	}
	a, err := ask.Quote(c.Context, q)
	return p.told(c, a, err)
}

// parseQuoted reads the job to quote.
func parseQuoted(spec string, j *ask.Job) error {
	for field := range strings.SplitSeq(spec, ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(field), "=")
		var err error
		switch key {
		case "width":
			j.Width, err = strconv.Atoi(value)
		case "estimate":
			j.Estimate, err = scenario.ParseTime(value)
		case "class":
			j.Class = value
		case "pool":
			j.Pool = value
		case "qos":
			j.QOS = value
		default:
			return usagef("--job: expected width, estimate, class, pool and qos, got %q", field)
		}
		if err != nil {
			return usagef("--job: expected width=64,estimate=6h,class=industry, got %q", field)
		}
	}
	if j.Width < 1 || j.Width > workload.MaxNodes || !(j.Estimate > 0) {
		return usagef("--job: expected a width and an estimate above 0, got %q", spec)
	}
	return nil
}

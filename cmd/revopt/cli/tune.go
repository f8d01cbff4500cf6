package cli

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/simulate/ask"
	lab "revopt/simulate/run"
)

func tuneFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("policy", "`P` policy with today's settings, as in slurm:conf=slurm.conf "+
			"(default slurm, as the scenario lists it)"),
		stringFlag("vary", "`LIST` settings to vary: qos, age, size, fairshare, limits (default all), "+
			"or numeric options of another policy"),
		choiceFlag("over", "", "`WHAT` search these instead of settings: admission, thresholds or prices", ask.Overs()...),
		listFlag("keep", "`RULE` limit to respect, such as 'students.mean_wait <= 8h', 'wait_max <= 3d', slo (promises) "+
			"or harm (always, unless none is given); repeatable"),
		stringFlag("train", "`A-B` part of a log to tune on, as shares of its span (default 0-0.5)"),
		stringFlag("test", "`A-B` part of a log to test on (default 0.5-1)"),
		under(methodGroup, stringFlag("replications", "`N` replications of the test (default 40)")),
	}, except(runFlags("`N` jobs per replication, warm-up included"),
		"replications", "precision", "metric", "resample", "span", "plain")...)
}

func (p *program) tune(c *cli.Context) error {
	var broken []string
	err := p.compare(c, "tuning", func(q *ask.Question, l *lab.Lab) (*ask.Comparison, error) {
		t, err := ask.AskedTuning(q, l)
		if err != nil {
			return nil, err
		}
		t.Near = typed(c).WithFiles(t.Policy, !c.IsSet("policy")).Near
		tuned, err := ask.Tune(c.Context, l, t)
		if err != nil {
			return nil, err
		}
		broken = tuned.Broken
		return tuned.Comparison, nil
	}, nil)
	if broken != nil {
		err = errors.Join(err, &shortError{text.OneLine(strings.Join(broken, "; ")) + ": broken in the test"})
	}
	return err
}

// typed returns what was typed of a scenario.
func typed(c *cli.Context) ask.Typed {
	t := ask.Typed{Scenario: c.Args().First()}
	if c.IsSet("load") {
		t.Flags = append(t.Flags, "--load", c.String("load"))
	}
	for _, set := range c.StringSlice("set") {
		t.Flags = append(t.Flags, "--set", set)
	}
	return t
}

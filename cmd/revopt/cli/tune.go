package cli

import (
	"errors"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/simulate/ask"
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
		objectiveFlag("what settings are tuned for"),
		stringFlag("train", "`A-B` part of a log to tune on, as shares of its span (default 0-0.5)"),
		stringFlag("test", "`A-B` part of a log to test on (default 0.5-1)"),
		under(methodGroup, stringFlag("replications", "`N` replications of the test (default 40)")),
		explainFlag(), tableFlag(), stringFlag("html", "`FILE` write one self-contained page: answer, tables, scenario"),
	}, except(runFlags("`N` jobs per replication, warm-up included"),
		"replications", "precision", "metric", "resample", "span", "plain")...)
}

func (p *program) tune(c *cli.Context) error {
	q, err := p.openRun(c)
	if err != nil {
		return err
	}
	store, err := p.store(c)
	if err != nil {
		return err
	}
	defer store.Close()
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	lab, err := ask.Open(c.Context, q, store, func(done, total int) { show.Show("tuning", done, total) })
	if err != nil {
		return err
	}
	t, err := ask.AskedTuning(q, lab)
	if err != nil {
		return err
	}
	t.Line, t.Commit = commandLine(p.args), build().Commit
	t.Near = typed(c).WithFiles(t.Policy, !c.IsSet("policy")).Near
	tuned, err := ask.Tune(c.Context, lab, t)
	show.Clear()
	if err != nil {
		return p.stopped(c, err)
	}
	err = p.tell(c, tuned.Answer, p.saved(c, tuned.Comparison), flagFile(c, "cells", tuned.WriteCells))
	if tuned.Broken != nil {
		broken := text.OneLine(strings.Join(tuned.Broken, "; "))
		err = errors.Join(err, &shortError{broken + ": broken in the test"})
	}
	return errors.Join(err, store.Close())
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

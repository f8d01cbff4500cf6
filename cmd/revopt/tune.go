package main

import (
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/plots/report"
	"revopt/simulate/study"
)

func tuneFlags() []cli.Flag {
	left := []string{"precision", "metric", "resample", "span", "plain"}
	return append([]cli.Flag{
		stringFlag("policy", "`P` policy with today's settings, as in slurm:conf=slurm.conf "+
			"(default slurm, as the scenario lists it)"),
		stringFlag("vary", "`LIST` settings to vary: qos, age, size, fairshare, limits (default all), "+
			"or numeric options of another policy"),
		listFlag("keep", "`RULE` limit to respect, such as 'students.mean_wait <= 8h'; repeatable"),
		stringFlag("train", "`A-B` part of a log to tune on, as shares of its span (default 0-0.5)"),
		stringFlag("test", "`A-B` part of a log to test on (default 0.5-1)"),
		wholeFlag("runs", 1, 1e9, 0, "`N` runs of the search at most (default such that it takes some minutes)"),
	}, slices.DeleteFunc(runFlags("`N` jobs per replication, warm-up included"), func(f cli.Flag) bool {
		return slices.Contains(left, f.Names()[0])
	})...)
}

func (p *program) tune(c *cli.Context) error {
	t, err := p.openTune(c)
	if err != nil {
		return err
	}
	result, err := ran(p, c, &t.Runner, t.Run)
	if result == nil {
		return err
	}
	result.Warnings = append(p.mixed(), result.Warnings...)
	result.Command, result.Build = p.origin(c)
	result.File = c.Args().First()
	view := &report.Tune{TuneResult: result}
	return p.finish(c, view, target{}, result.Samples, err, view.Shortfalls())
}

// openTune reads the command line.
func (p *program) openTune(c *cli.Context) (*study.Tune, error) {
	in, o, err := p.openRun(c)
	if err != nil {
		return nil, err
	}
	t := &study.Tune{
		Subject: in.Subject, Seed: c.Uint64("seed"), Level: o.level, Replications: o.count, Runs: c.Int("runs"),
		Overrides: in.overrides,
	}
	if len(o.policies) > 1 {
		return nil, usagef("--policy: expected one policy to tune, got %d", len(o.policies))
	} else if len(o.policies) == 1 {
		t.Policy = o.policies[0]
	} else if t.Policy, err = in.Tunable(); err != nil {
		return nil, err
	}
	if c.IsSet("vary") {
		for word := range strings.SplitSeq(c.String("vary"), ",") {
			t.Vary = append(t.Vary, strings.TrimSpace(word))
		}
	}
	for _, arg := range c.StringSlice("keep") {
		rule, err := in.ParseRule(arg)
		if err != nil {
			return nil, usagef("--keep: %s", err)
		}
		t.Keep = append(t.Keep, rule)
	}
	parts := map[string]*[2]float64{"train": &t.Train, "test": &t.Test}
	for _, name := range []string{"train", "test"} {
		if !c.IsSet(name) {
			continue
		}
		from, to, _ := strings.Cut(c.String(name), "-")
		a, ok := probability(from)
		b, also := probability(to)
		if !ok || !also || a >= b {
			return nil, usagef("--%s: expected shares of the span of the log such as 0-0.25, got %q", name, c.String(name))
		}
		*parts[name] = [2]float64{a, b}
	}
	if c.IsSet("train") != c.IsSet("test") {
		return nil, usagef("--train and --test: expected both of them, as in --train 0-0.25 --test 0.25-0.5")
	}
	if t.Train[0] < t.Test[1] && t.Test[0] < t.Train[1] {
		return nil, usagef("--train and --test: expected parts without common jobs, got %s and %s",
			c.String("train"), c.String("test"))
	}
	return t, t.Open(c.Context)
}

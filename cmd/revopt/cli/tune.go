package cli

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/plots/report"
	"revopt/simulate/slurm"
	"revopt/simulate/study"
	"revopt/simulate/study/tune"
	"revopt/simulate/warn"
)

func tuneFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("policy", "`P` policy with today's settings, as in slurm:conf=slurm.conf "+
			"(default slurm, as the scenario lists it)"),
		stringFlag("vary", "`LIST` settings to vary: qos, age, size, fairshare, limits (default all), "+
			"or numeric options of another policy"),
		listFlag("keep", "`RULE` limit to respect, such as 'students.mean_wait <= 8h'; repeatable"),
		stringFlag("train", "`A-B` part of a log to tune on, as shares of its span (default 0-0.5)"),
		stringFlag("test", "`A-B` part of a log to test on (default 0.5-1)"),
		stringFlag("replications", "`N` replications of the test (default 40)"),
		wholeFlag("runs", 1, 1e9, 0, "`N` runs of the search, about: the round that reaches them is its last "+
			"(default 500 to 10,000)"),
	}, except(runFlags("`N` jobs per replication, warm-up included"),
		"replications", "precision", "metric", "resample", "span", "plain")...)
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
	result.Warnings = append([]warn.Warning(nil), result.Warnings...)
	result.Command, result.Build = p.origin(c)
	result.File = c.Args().First()
	for _, name := range slurm.SettingFiles() { // a scenario names files relative to itself
		if path := result.Settings[name]; path != "" && !filepath.IsAbs(path) && !c.IsSet("policy") {
			option, near := ":"+name+"=", filepath.Join(filepath.Dir(result.File), path)
			result.Label = strings.Replace(result.Label, option+path, option+near, 1)
		}
	}
	view := &report.Tune{Result: result}
	return p.finish(c, view, target{}, result.Samples, err, view.Shortfalls())
}

func (p *program) openTune(c *cli.Context) (*tune.Tune, error) {
	q, err := p.openRun(c)
	if err != nil {
		return nil, err
	}
	t := &tune.Tune{
		Subject: q.Subject, Seed: q.Seed, Level: q.Run.Level, Replications: q.Run.Count, Runs: c.Int("runs"),
		Overrides: q.Overrides,
	}
	switch policies := q.Run.Policies; len(policies) {
	case 0:
		t.Policy, err = tune.SlurmPolicy(q.Subject)
		if err != nil {
			return nil, err
		}
	case 1:
		t.Policy = policies[0]
	default:
		return nil, usagef("--policy: expected one policy to tune, got %d", len(policies))
	}
	known := tune.Tunable(t.Policy)
	if len(known) == 0 {
		return nil, usagef("--policy: expected slurm, or a policy with numbers such as value-bf, got %s",
			t.Policy.Label())
	}
	if c.IsSet("vary") {
		t.Vary = strings.Split(c.String("vary"), ",")
	}
	for _, word := range t.Vary {
		if !slices.Contains(known, word) {
			return nil, usagef("--vary: expected %s, got %q", text.OneOf(known), word)
		}
	}
	for _, arg := range c.StringSlice("keep") {
		rule, err := parsed("keep", arg, func(arg string) (tune.Rule, error) { return tune.ParseRule(q.Subject, arg) })
		if err != nil {
			return nil, err
		}
		t.Keep = append(t.Keep, rule)
	}
	if c.IsSet("train") || c.IsSet("test") {
		train, test := c.String("train"), c.String("test")
		words := strings.Split(train+"-"+test, "-")
		x, err := text.Try(words, study.ParseShare)
		apart := err == nil && len(x) == 4 && x[0] < x[1] && x[2] < x[3] && (x[1] <= x[2] || x[3] <= x[0])
		if !apart || slices.Min(x) < 0 || slices.Max(x) > 1 {
			return nil, usagef("--train and --test: expected shares of the span of a log without common jobs, "+
				"as in --train 0-0.25 --test 0.25-0.5, got %q and %q", train, test)
		}
		t.Train, t.Test = [2]float64{x[0], x[1]}, [2]float64{x[2], x[3]}
	}
	return t, t.Open(c.Context)
}

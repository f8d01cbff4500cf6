package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/plots/report"
	"revopt/simulate/policy"
	"revopt/simulate/slurm"
	"revopt/simulate/study/request"
	"revopt/simulate/study/tune"
	"revopt/simulate/subject"
)

func tuneFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("policy", "`P` policy with today's settings, as in slurm:conf=slurm.conf "+
			"(default slurm, as the scenario lists it)"),
		stringFlag("vary", "`LIST` settings to vary: qos, age, size, fairshare, limits (default all), "+
			"or numeric options of another policy"),
		listFlag("keep", "`RULE` limit to respect, such as 'students.mean_wait <= 8h', 'wait_max <= 3d' or harm "+
			"(always, unless none is given); repeatable"),
		objectiveFlag("what settings are tuned for"),
		stringFlag("train", "`A-B` part of a log to tune on, as shares of its span (default 0-0.5)"),
		stringFlag("test", "`A-B` part of a log to test on (default 0.5-1)"),
		under(methodGroup, stringFlag("replications", "`N` replications of the test (default 40)")),
		boolFlag("explain", "add who is affected: customers and groups of width, today and then"),
		under(methodGroup, wholeFlag("runs", 1, 1e9, 0, "`N` runs of the search, about: the round that reaches them "+
			"is its last (default 500 to 10,000)")),
	}, except(runFlags("`N` jobs per replication, warm-up included"),
		"replications", "precision", "metric", "resample", "span", "plain")...)
}

// tuneMeter returns a function that prints how far a search is, and the best so far: at most one line in ten seconds.
func tuneMeter(w io.Writer) func(tune.Step) {
	last := time.Now()
	return func(s tune.Step) {
		if time.Since(last) < 10*time.Second {
			return
		}
		last = time.Now()
		clear := ""
		if meter.IsTerminal(w) {
			clear = meter.ClearLine
		}
		fmt.Fprintf(w, "%stuning: %d runs of at most %d; %s\n", clear, s.Runs, s.Limit, report.TuneStep(s))
	}
}

func (p *program) tune(c *cli.Context) error {
	q, err := p.openRun(c)
	if err != nil {
		return err
	}
	t, err := q.Tune()
	if err != nil {
		return err
	}
	if err := t.Open(c.Context); err != nil {
		return err
	}
	if !c.Bool("quiet") {
		t.Tell = tuneMeter(p.stderr)
	}
	result, err := ran(p, c, &t.Runner, t.Run)
	if result == nil {
		return err
	}
	request.FinishTune(result)
	result.Command, result.Build = p.origin(c)
	typed := typedFor(c, t.Policy, !c.IsSet("policy"))
	result.File, result.Flags, result.Site = typed.Scenario, typed.Flags, typed.Files
	result.Label = typed.Near(result.Label)
	view := &report.Tune{Result: result, Explain: c.Bool("explain")}
	return p.finish(c, view, target{}, result.Samples, err, view.Shortfalls())
}

// typedFor returns what was typed of a scenario, with the files that a policy names, relative to the scenario or not.
func typedFor(c *cli.Context, p subject.Policy, relative bool) report.Typed {
	typed := report.Typed{Scenario: c.Args().First(), Files: policy.Settings{}, Stated: policy.Settings{}}
	for _, flag := range []string{"load", "growth"} {
		if c.IsSet(flag) {
			typed.Flags = append(typed.Flags, "--"+flag, c.String(flag))
		}
	}
	for _, set := range c.StringSlice("set") {
		typed.Flags = append(typed.Flags, "--set", set)
	}
	for _, name := range slurm.SettingFiles() {
		path := p.Settings[name]
		if path != "" && !filepath.IsAbs(path) && relative {
			typed.Stated[name] = path
			path = filepath.Join(filepath.Dir(typed.Scenario), path)
		}
		if path != "" {
			typed.Files[name] = path
		}
	}
	return typed
}

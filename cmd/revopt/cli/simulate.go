package cli

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/cells"
	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/model"
	"revopt/plots"
	"revopt/plots/schedule"
	"revopt/simulate/ask"
	"revopt/simulate/metric"
	"revopt/simulate/policy"
	lab "revopt/simulate/run"
	"revopt/simulate/subject"
)

func simulateFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("policy", "`LIST` policies by commas, options as in hol:backfill=true, or a program as in "+
			"'exec:python3 my.py'; repeatable (default the scenario's)"),
		listFlag("admission",
			"`A` all (default), analytic, simulated, threshold, state, prices or probabilities"),
		under(methodGroup, stringFlag("horizon", "`T` length of a replication as a time, such as 182d")),
		under(methodGroup, stringFlag("warmup",
			"`W` beginning of a run to leave out: a share such as 10%, or a time such as 2h")),
		explainFlag(), tableFlag(), choiceFlag("objective", "", "`O` what is compared: value, wait or slowdown (default value)",
			lab.Value().Name, lab.Wait().Name, lab.Slowdown().Name),
		htmlFlag(),
		stringFlag("records", "`FILE` write a line of CSV for every job of every replication"),
		stringFlag("gantt", "`FILE` draw which job runs where in the first replication"),
		choiceFlag("by", "", "`user` add a table of the users with most work; --json has all; every "+
			"replication runs twice", "user"),
		under(programGroup, boolFlag("episodes",
			"with --policy exec:-, run the replications that standard input asks for")),
	}, runFlags("`N` jobs per replication, warm-up included")...)
}

// policiesByScheduler lists the policies by the scheduler that can run them.
func policiesByScheduler(specs []policy.Spec) string {
	var groups [policy.Slurm + 1][]string
	for _, spec := range specs {
		where := spec.RunsOn(nil)
		groups[where] = append(groups[where], spec.Name)
	}
	var lines []string
	for where, names := range slices.Backward(groups[:]) {
		words := policy.Where(where).String() + ": " + strings.Join(names, ", ")
		lines = append(lines, "  "+strings.Join(text.Wrapped(words, 80), "\n    "))
	}
	return strings.Join(lines, "\n")
}

// runFlags are those that all simulations have, with the help of --jobs.
func runFlags(jobs string) []cli.Flag {
	return append([]cli.Flag{
		stringFlag("replications",
			"`N` replications (default 10; 100 with --resample); the upper limit if --precision is given "+
				"(default 1280)"),
		stringFlag("jobs", jobs),
	}, slices.Concat(allUnder(methodGroup,
		stringFlag("precision", "`P` replicate until the half width is at most this share of the mean, such as 1%"),
		stringFlag("metric", "`M` the measure that --precision applies to (default the objective)"),
		choiceFlag("resample", "", "`weeks` draw other histories from the weeks and users of a trace; intervals "+
			"are their range; none: the trace alone",
			"weeks", "none"),
		stringFlag("span", "`T` length of each history of --resample, such as 12w (default the length of the trace)"),
		presetFlag("level", "0.95", "`L` confidence level of the intervals"),
		boolFlag("plain", "measure without control variates"),
		seedFlag("the random numbers"),
	), []cli.Flag{workersFlag("replications")}, scenarioFlags(), []cli.Flag{
		jsonFlag(), csvFlag("all measures"), saveFlag(),
		under(resultGroup, stringFlag("cells",
			"`FILE` write every measure of every replication as CSV, for pandas and R")),
	},
		journalFlags("replications"), execFlags(), []cli.Flag{quietFlag("progress and no warnings")})...)
}

// openRun opens the scenario of a command that simulates.
func (p *program) openRun(c *cli.Context) (*ask.Question, error) {
	q, err := p.question(c)
	if err != nil {
		return nil, err
	}
	return q, p.setParent(c, q)
}

func (p *program) simulate(c *cli.Context) error {
	if c.Bool("episodes") {
		return p.serveEpisodes(c)
	}
	q, err := p.openRun(c)
	if err != nil {
		return err
	}
	if err := checkGantt(c, q.Subject); err != nil {
		return err
	}
	if c.IsSet("by") && !ask.HasUsers(q.Subject) {
		return usagef("--by user: expected jobs with users, from a trace that has them")
	}
	store, err := p.store(c)
	if err != nil {
		return err
	}
	defer store.Close()
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	bench, err := q.Lab(c.Context, store, func(done, total int) { show.Show("simulating", done, total) })
	if err != nil {
		return err
	}
	r := q.Request
	// A short table does not show groups of width. A journal serves all forms of output.
	r.Widths = slices.ContainsFunc([]string{"json", "save", "journal", "cells", "explain", "table", "html"}, c.IsSet)
	r.Users = c.IsSet("by")
	compared, err := ask.Simulate(c.Context, bench, r)
	show.Clear()
	if compared == nil {
		return p.stopped(c, err)
	}
	files := []func() error{p.saved(c, compared), flagFile(c, "cells", compared.WriteCells)}
	if err == nil || failed(err) {
		files = append(files, flagFile(c, "records", func(w io.Writer) error {
			return compared.WriteRecords(c.Context, w)
		}), func() error { return p.writeGantt(c, compared) })
	}
	return errors.Join(p.tell(c, compared.Answer, files...), p.halted(c, compared.Answer, err), store.Close())
}

// store returns the records of --journal, else those of memory.
func (p *program) store(c *cli.Context) (*lab.Store, error) {
	dir := c.String("journal")
	switch {
	case !c.IsSet("journal"):
		return &lab.Store{}, nil
	case dir == "":
		return nil, usagef("--journal: expected a directory")
	}
	made, err := cells.ThisBuild(build().Version)
	if err != nil {
		return nil, err
	}
	p.kept = dir
	return lab.OpenStore(dir, lab.StoreOptions{Build: made})
}

// saved returns the function that writes the file of --save.
func (p *program) saved(c *cli.Context, compared *ask.Comparison) func() error {
	return flagFile(c, "save", func(w io.Writer) error {
		a, err := compared.Save(context.WithoutCancel(c.Context))
		if err != nil {
			return err
		}
		return a.WriteJSON(w)
	})
}

// checkGantt refuses a figure of more jobs than it could show.
func checkGantt(c *cli.Context, s *subject.Subject) error {
	if jobs := s.Workload.Size(); c.String("gantt") != "" && jobs > schedule.MostBars {
		return usagef("--gantt: expected at most %d stretches of work, got about %s jobs: simulate fewer (--jobs)",
			schedule.MostBars, text.Fixed(jobs, 0))
	}
	return nil
}

// writeGantt draws the file of --gantt: the first replication of every row, run again.
func (p *program) writeGantt(c *cli.Context, compared *ask.Comparison) error {
	path := c.String("gantt")
	if path == "" {
		return nil
	}
	s := compared.Subject
	var pools []model.Pool
	if p := s.Workload.Pools(); p != nil {
		pools = p.List
	}
	if n := len(compared.Rows) * len(pools); n > schedule.MostPanels {
		return usagef("--gantt: expected at most %d panels, got %d: pools times policies", schedule.MostPanels, n)
	}
	var panels []plots.Figure
	for _, row := range compared.Rows {
		g := metric.NewGantt()
		if _, err := compared.Lab.Watch(c.Context, row.Case, g); err != nil {
			return err
		}
		figures := schedule.Gantt(row.Label, s.Unit(), g, row.Experiment().Workload.Sites(), pools)
		n := text.Sum(figures, func(fig plots.Figure) int { return len(fig.Regions) })
		if n > schedule.MostBars {
			return usagef("--gantt: expected at most %d stretches of work, got %d under %s: simulate fewer jobs",
				schedule.MostBars, n, row.Label)
		}
		panels = append(panels, figures...)
	}
	sheet := schedule.GanttSheet("Schedule: "+text.OneLine(s.Scenario.Name), panels)
	return plots.SaveFile(path, sheet, compared.Answer.Made())
}

package cli

import (
	"io"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/ask"
	"revopt/simulate/policy"
	lab "revopt/simulate/run"
)

func simulateFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("policy", "`LIST` policies by commas, options as in hol:backfill=true, or a program as in "+
			"'exec:python3 my.py'; repeatable (default the scenario's)"),
		listFlag("admission",
			"`A` all (default), analytic, simulated, prices or probabilities"),
		stringFlag("records", "`FILE` write a line of CSV for every job of every replication"),
		stringFlag("gantt", "`FILE` draw which job runs where in the first replication"),
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

// objectiveFlag says what rows are compared by.
func objectiveFlag() cli.Flag {
	return choiceFlag("objective", "", "`O` what is compared: value, wait or slowdown (default value); the last two need "+
		"no prices", scenario.Objectives()...)
}

// runFlags are those that all simulations have, with the help of --jobs.
func runFlags(jobs string) []cli.Flag {
	return append([]cli.Flag{
		stringFlag("replications",
			"`N` replications (default 10; 100 with --resample); the upper limit if --precision is given "+
				"(default 1280)"),
		stringFlag("jobs", jobs),
	}, slices.Concat(allUnder(methodGroup,
		stringFlag("horizon", "`T` length of a replication of job classes as a time, such as 182d"),
		stringFlag("warmup", "`W` beginning of a run to leave out: a share such as 10%, or a time such as 2h"),
		stringFlag("precision", "`P` replicate until the half width is at most this share of the mean, such as 1%"),
		stringFlag("metric", "`M` the measure that --precision applies to (default the objective)"),
		choiceFlag("resample", "", "`weeks` draw other histories from the weeks and users of a trace; intervals "+
			"are their range; none: the trace alone",
			"weeks", "none"),
		stringFlag("span", "`T` length of each history of --resample, such as 12w (default the length of the trace)"),
		presetFlag("level", "0.95", "`L` confidence level of the intervals"),
		seedFlag("the random numbers"),
	), []cli.Flag{workersFlag("replications")}, scenarioFlags(), answerFlags("all measures"), []cli.Flag{
		objectiveFlag(),
		under(resultGroup, stringFlag("cells",
			"`FILE` write every measure of every replication as CSV, for pandas and R")),
	},
		journalFlags("replications"), execFlags(), []cli.Flag{quietFlag("progress and no warnings")})...)
}

func (p *program) simulate(c *cli.Context) error {
	question := func(q *ask.Question, l *lab.Lab) (*ask.Comparison, error) {
		if c.String("gantt") != "" {
			if err := ask.CheckGantt(q.Subject); err != nil {
				return nil, err
			}
		}
		r := q.Request
		// A short table does not show groups of width. A journal serves all forms of output.
		r.Widths = slices.ContainsFunc([]string{"json", "journal", "cells", "explain", "table", "html"}, c.IsSet)
		return ask.Simulate(c.Context, l, r)
	}
	return p.compare(c, "simulating", question, func(compared *ask.Comparison) []func() error {
		return []func() error{
			flagFile(c, "records", func(w io.Writer) error { return compared.WriteRecords(c.Context, w) }),
			func() error { return writeGantt(c, compared) },
		}
	})
}

// writeGantt draws the file of --gantt.
func writeGantt(c *cli.Context, compared *ask.Comparison) error {
	path := c.String("gantt")
	if path == "" {
		return nil
	}
	sheet, err := compared.Gantt(c.Context)
	if err != nil {
		return err
	}
	return plots.SaveFile(path, sheet, compared.Answer.Made())
}

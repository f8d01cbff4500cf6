package cli

import (
	"context"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/simulate/ask"
	"revopt/simulate/subject"
)

// asked returns the request that the flags of a command make.
func (p *program) asked(c *cli.Context) ask.Request {
	from := scenarioRequest(c)
	r := ask.Request{
		Command: from.Command, Scenario: from.Scenario, Set: from.Set, Load: from.Load, Seed: from.Seed,

		Utility: c.String("utility"), Gap: c.Float64("gap"), Vary: c.String("vary"),

		Waits: c.Bool("waits"), Class: c.String("class"), Quantiles: c.String("quantiles"),
		Simulated: c.Bool("simulate"),

		Policies: c.StringSlice("policy"), Admission: c.StringSlice("admission"),
		Replications: ask.Word(c.String("replications")), Jobs: ask.Word(c.String("jobs")),
		Horizon: c.String("horizon"), Warmup: c.String("warmup"), Precision: c.String("precision"),
		Metric: c.String("metric"), Resample: c.String("resample") == "weeks", Span: c.String("span"), Level: c.String("level"),
		Objective: c.String("objective"),

		Changes: c.StringSlice("change"), Costs: c.StringSlice("cost"), Life: c.String("life"),

		Line: commandLine(p.args), Version: build().Version, Commit: build().Commit,
	}
	if c.IsSet("method") {
		r.Method = c.String("method")
	}
	switch r.Command {
	case "solve":
		r.Prices, r.Residual = c.Bool("prices"), c.String("residual")
		r.Checks, r.NoCheck = c.Bool("check"), c.Bool("no-check")
		r.Admission = []string{c.String("admission")}
		if c.IsSet("at") {
			r.At = strings.Split(c.String("at"), ",")
		}
	case "validate":
		r.Brief = brief(c)
	case "whatif":
		r.Brief = brief(c)
		if c.IsSet("admission") {
			r.Admission = []string{c.String("admission")}
		}
	}
	return r
}

// brief reports whether only a short text shows the answer of a comparison.
func brief(c *cli.Context) bool {
	return firstSet(c, "json", "csv", "explain", "html", "cells", "out", "journal") == ""
}

// answering says how requests of a command are answered: the scenario is a file, a built-in or
// standard input, and outputs must not replace its files.
func (p *program) answering(c *cli.Context) ask.Options {
	return ask.Options{
		Read: func(context.Context) (*scenario.Document, error) {
			return p.document(c, c.Args().First())
		},
		Opened: func(s *subject.Subject) error { return checkOutputs(c, s.Scenario.Files()...) },
		Specs:  p.specs, Filed: p.filed(c), Workers: c.Int("workers"),
	}
}

// question opens the scenario of a command whose only argument it is.
func (p *program) question(c *cli.Context) (*ask.Question, error) {
	for _, name := range []string{"precision", "metric", "span", "replications", "jobs", "horizon", "warmup", "vary",
		"life", "train", "test"} {
		if c.IsSet(name) && c.String(name) == "" {
			return nil, usagef("--%s: expected a value, got nothing", name)
		}
	}
	r := p.asked(c)
	if err := r.Check(p.specs); err != nil {
		return nil, err
	}
	if err := exactly(c, "SCENARIO"); err != nil {
		return nil, err
	}
	return ask.Open(c.Context, r, p.answering(c))
}

package main

import (
	"context"
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/model"
	"revopt/model/scenario"
	"revopt/optimize"
)

func (p *program) solveCommand() *cli.Command {
	return &cli.Command{
		Name:      "solve",
		Usage:     "the admission that earns most, with waits, bound and shadow prices",
		ArgsUsage: "SCENARIO [flags]",
		Description: `Finds which share of each class of jobs to admit so that the cluster earns most,
and proves that no other admission earns more. With --utility exact it counts what
delay costs job by job, with grace and floor, from the distribution of the waits in
one pooled server, keeps the promises on waits (slo), and proves a bound only.

Examples:
  revopt solve nist-four --load 0.6
  revopt solve nist-cluster --load 1.2 --utility exact
  revopt solve mine.yaml --set classes.HvHu.decay=3 --set server.parallel=30 --json`,
		Flags: append(scenarioFlags(),
			&cli.StringFlag{Name: "method", Value: string(optimize.MethodCertified), Usage: "`METHOD` certified (proven global optimum) or cg (fast local search)"},
			&cli.StringFlag{Name: "utility", Value: "linear", Usage: "`UTILITY` linear (loss by the mean wait) or exact (job by job)"},
			gapFlag(), jsonFlag(), csvFlag("the table"), quietFlag("warnings"),
		),
		Action: p.solve,
	}
}

// answer is what solve prints.
type answer struct {
	Scenario  string   `json:"scenario"`
	Version   string   `json:"version"`
	Overrides []string `json:"overrides"`
	solution
	Prices   prices       `json:"shadow_prices"`
	Exact    *exactAnswer `json:"exact,omitempty"` // with --utility exact
	Warnings []string     `json:"warnings"`

	system model.System
}

// prices are the shadow prices, at fixed offered rates.
type prices struct {
	Capacity number       `json:"capacity"` // $/s per extra parallel slot
	Classes  []classPrice `json:"classes"`
}

type classPrice struct {
	Name   string `json:"name"`
	Demand number `json:"demand"` // $ per extra arriving job
}

func (p *program) solve(c *cli.Context) error {
	method, gap, err := solveOptions(c)
	if err != nil {
		return err
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	sc, err := in.doc.ClassScenario()
	if err != nil {
		return err
	}
	var a *answer
	if method == optimize.MethodExact {
		a, err = newExactAnswer(c.Context, sc, gap)
	} else {
		a, err = newAnswer(c.Context, sc, method, gap)
	}
	if err != nil {
		return err
	}
	a.Overrides = append([]string{}, in.overrides...)
	if path := c.String("csv"); path != "" {
		if err := writeTable(path, a.provenance(p.args), a.records()); err != nil {
			return err
		}
	}
	if c.Bool("json") {
		return p.printJSON(a)
	}
	a.print(p.stdout)
	return p.warn(c, a.Warnings)
}

func solveOptions(c *cli.Context) (method optimize.Method, gap float64, err error) {
	method = optimize.Method(c.String("method"))
	if method != optimize.MethodCertified && method != optimize.MethodCG {
		return "", 0, usagef("--method: expected certified or cg, got %q", method)
	}
	switch u := c.String("utility"); {
	case u != "linear" && u != "exact":
		return "", 0, usagef("--utility: expected linear or exact, got %q", u)
	case u == "exact" && c.IsSet("method"):
		return "", 0, usagef("--method: expected --utility linear with it, the exact utility has a method of its own")
	case u == "exact":
		method = optimize.MethodExact
	}
	gap, err = gapOption(c)
	return method, gap, err
}

func gapOption(c *cli.Context) (float64, error) {
	gap := c.Float64("gap")
	if !(gap > 0 && gap < 1) {
		return 0, usagef("--gap: expected a number above 0 and below 1 such as 1e-6, got %g", gap)
	}
	return gap, nil
}

// newAnswer solves a scenario.
func newAnswer(ctx context.Context, sc *scenario.Scenario, method optimize.Method, gap float64) (*answer, error) {
	sys, settings := sc.System(), optimize.Settings{Gap: gap}
	solve := optimize.Solve
	if method == optimize.MethodCG {
		solve = optimize.ConjugateGradient
	}
	r, err := solve(ctx, sys, settings)
	if err != nil {
		return nil, err
	}
	s, err := newSolution(sys, r)
	if err != nil {
		return nil, err
	}
	shadow, err := optimize.ShadowPrices(ctx, sys, r)
	if err != nil {
		return nil, err
	}
	a := &answer{Scenario: sc.Name, Version: build().Version, solution: *s, Prices: newPrices(sys, shadow), system: sys}
	a.Warnings = append([]string{}, slices.Concat(ignored(sc), unproven(sys.Residual, r, gap), doubts(r, s))...)
	return a, nil
}

func newPrices(sys model.System, shadow optimize.Prices) prices {
	p := prices{Capacity: number(shadow.Capacity)}
	for i, class := range sys.Classes {
		p.Classes = append(p.Classes, classPrice{class.Name, number(shadow.Demand[i])})
	}
	return p
}

package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"

	"revopt/internal/text"
	"revopt/model"
	"revopt/optimize"
	"revopt/plots/report"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study/solve"
)

func solveFlags() []cli.Flag {
	return append(scenarioFlags(),
		choiceFlag("method", string(optimize.MethodCertified), "`METHOD` certified (proven global optimum) or cg "+
			"(fast local search)",
			optimize.MethodCertified, optimize.MethodCG),
		choiceFlag("utility", "linear", "`UTILITY` linear (loss by the mean wait) or exact (job by job)", "linear", "exact"),
		choiceFlag("control", "static", "`KIND` static, state (the whole queue) or threshold (how many wait)",
			"static", analytic.ControlState, analytic.ControlThreshold),
		pricesFlag(), gapFlag(), seedFlag("the jobs to which classes are fitted"),
		jsonFlag(), csvFlag("the table"), quietFlag("warnings"),
	)
}

func (p *program) solve(c *cli.Context) error {
	o, err := solveOptions(c)
	if err != nil {
		return err
	}
	in, err := p.open(c)
	if err != nil {
		return err
	}
	analysis, err := analytic.Analyze(c.Context, in.Subject, c.Uint64("seed"), 0)
	if err != nil {
		return err
	}
	found, err := solve.Solve(c.Context, analysis, o)
	if err != nil {
		return err
	}
	found.Overrides, found.TraceFile = in.overrides, in.TraceFile()
	view := report.Answer{Answer: found, Analysis: analysis, Command: commandLine(p.args)}
	if err := p.present(c, view, target{}); err != nil {
		return err
	}
	for _, part := range append(found.Pools, solve.PoolOptimum{Optimum: found.Optimum}) {
		if k := part.Control; k != nil && k.Open() {
			return openProof(k.RevenuePerSecond, k.UpperBoundPerSecond,
				" for admission that looks at the queue"+inPool(part.Name))
		}
		if err := unclosed(o, analysis.System.Residual, &part.Solution, inPool(part.Name)); err != nil {
			return err
		}
	}
	return nil
}

// inPool names a pool in a message; "" is the whole machine.
func inPool(name string) string {
	if name == "" {
		return ""
	}
	return " in pool " + text.OneLine(name)
}

func solveOptions(c *cli.Context) (solve.Options, error) {
	o := solve.Options{Method: optimize.Method(c.String("method")), Gap: c.Float64("gap"), Version: build().Version}
	o.Exact = c.String("utility") == "exact"
	if o.Exact && c.IsSet("method") {
		return o, usagef("--method: expected --utility linear with it, the exact utility has a method of its own")
	}
	if k := c.String("control"); k != "static" {
		o.Control = k
	}
	o.Prices = c.Bool("prices")
	return o, o.Check()
}

func pricesFlag() cli.Flag {
	return boolFlag("prices", "choose prices too, for classes that state a demand")
}

// unclosed reports a proof of the certified method that did not close.
func unclosed(o solve.Options, residual model.Residual, s *analytic.Solution, where string) error {
	if o.Exact || o.Method == optimize.MethodCG || residual == model.Multiserver ||
		float64(s.RelativeGap) <= optimize.Loose {
		return nil
	}
	return openProof(s.RevenuePerSecond, s.UpperBoundPerSecond, where)
}

// openProof names the limits between which an optimum lies.
func openProof(low, high metric.Number, where string) error {
	return &shortError{fmt.Sprintf("the proof did not close to 1 %%%s: the optimum lies between %.6g and %.6g $/s",
		where, low, high)}
}

package cli

import (
	"fmt"

	"github.com/urfave/cli/v2"
	"revopt/internal/text"
	"revopt/model"
	"revopt/optimize"
	"revopt/plots/report/formula"
	"revopt/simulate/analytic"
	"revopt/simulate/metric"
	"revopt/simulate/study/solve"
)

func solveFlags() []cli.Flag {
	return append(scenarioFlags(),
		choiceFlag("method", string(optimize.MethodCertified), "`METHOD` certified (proven global optimum) or cg "+
			"(fast local search)",
			optimize.MethodCertified, optimize.MethodCG),
		choiceFlag("utility", "linear", "`UTILITY` linear (loss by the mean wait) or exact (job by job)", "linear",
			"exact"),
		choiceFlag("control", "static", "`KIND` static, state (the whole queue) or threshold (how many wait)",
			"static", analytic.ControlState, analytic.ControlThreshold),
		residualFlag(), boolFlag("no-check", "do not check the admission by simulation"),
		pricesFlag(), gapFlag(), seedFlag("the jobs of the check, and those to which classes are fitted"),
		jsonFlag(), csvFlag("the table"), quietFlag("warnings"),
	)
}

func (p *program) solve(c *cli.Context) error {
	q, err := p.question(c)
	if err != nil {
		return err
	}
	found, err := q.Solve(c.Context)
	if err != nil {
		return err
	}
	view := formula.Answer{Answer: found.Answer, Analysis: found.Analysis, Command: commandLine(p.args)}
	if err := p.present(c, view, target{}); err != nil {
		return err
	}
	for _, part := range append(found.Pools, solve.PoolOptimum{Optimum: found.Optimum}) {
		if k := part.Control; k != nil && k.Open() {
			return openProof(k.RevenuePerSecond, k.UpperBoundPerSecond,
				" for admission that looks at the queue"+inPool(part.Name))
		}
		residual := found.Analysis.System.Residual
		if err := unclosed(found.Options, residual, &part.Solution, inPool(part.Name)); err != nil {
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

func pricesFlag() cli.Flag {
	return boolFlag("prices", "choose prices too, for classes that state a demand")
}

func residualFlag() cli.Flag {
	return choiceFlag("residual", "", "`R` how delays are computed: printed (as the paper prints them, too long), "+
		"pooled (one fast server) or multiserver (default: as the scenario says)",
		model.Printed.String(), model.Pooled.String(), model.Multiserver.String())
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

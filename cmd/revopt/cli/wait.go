package cli

import (
	"github.com/urfave/cli/v2"

	"revopt/model/scenario"
	"revopt/plots/report/formula"
	"revopt/simulate/study/solve"
)

func waitFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("class", "`NAME` print this class only"),
		stringFlag("at", "`TIMES` times for which to print the share that waits longer, such as 60,10m,1h "+
			"(default 0, graces and promised times)"),
		presetFlag("quantiles", "0.5,0.9,0.99", "`LIST` shares of jobs, such as 0.5,0.9 or 50%,90%"),
		presetFlag("admission", scenario.AdmitAll, "`A` all, analytic (what solve finds) or probabilities as in 1,0.5"),
		choiceFlag("queue", solve.QueuePooled, "`Q` pooled (exact) or multiserver (approximate)",
			solve.QueuePooled, solve.QueueMultiserver),
		boolFlag("simulate", "simulate the same queue and print the results beside the formulas"),
		seedFlag("the random numbers"), workersFlag("replications"),
		jsonFlag(), csvFlag("all numbers"), saveFlag(), quietFlag("warnings"),
	}, append(scenarioFlags(),
		figureFlags("`DIR|FILE` write a figure: in all formats to a directory, or one .png, .svg, .pdf or .csv")...)...)
}

func (p *program) wait(c *cli.Context) error {
	if err := asked(c).Check(p.specs); err != nil {
		return err
	}
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	q, err := p.question(c)
	if err != nil {
		return err
	}
	curves := where.path != "" || c.IsSet("save")
	// Some waits take long and do not check the context.
	found, err := await(c.Context, func() (*solve.WaitAnswer, error) { return q.Wait(c.Context, curves) })
	if err != nil {
		return err
	}
	found.Command, found.Build = p.origin(c)
	return p.present(c, formula.Waits{WaitAnswer: found}, where, saveFile(c, found))
}

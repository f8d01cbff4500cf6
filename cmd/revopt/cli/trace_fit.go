package cli

import (
	"io"
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/simulate/analytic"
	"revopt/simulate/ask"
	"revopt/simulate/fit"
)

func traceFitFlags() []cli.Flag {
	return slices.Concat(scenarioFlags(), []cli.Flag{
		seedFlag("the jobs"),
		outFlag("`FILE` write the scenario to a file and print only the figures"),
		jsonFlag(), explainFlag(), quietFlag("warnings"),
	})
}

func (p *program) traceFit(c *cli.Context) error {
	q, err := p.open(c)
	if err != nil {
		return err
	}
	classes, err := analytic.Fit(c.Context, q.Subject, fit.Options{Own: true, Seed: q.Seed}, 0)
	if err != nil {
		return err
	}
	f := &ask.Fit{Result: classes, Subject: q.Subject, Seed: q.Seed}
	yaml, err := f.YAML(build().Version, commandLine(p.args))
	if err != nil {
		return err
	}
	out := c.String("out")
	a := p.sign(f.Answer(out))
	if out == "" && !c.Bool("json") {
		p.stdout.Write(yaml)
		a.Tables = nil // the scenario has been printed in their place
		return p.remark(c, a)
	}
	return p.tell(c, a, flagFile(c, "out", func(w io.Writer) error {
		_, err := w.Write(yaml)
		return err
	}))
}

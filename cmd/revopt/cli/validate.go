package cli

import (
	"revopt/simulate/ask"
	lab "revopt/simulate/run"
	"revopt/simulate/study"
	"revopt/simulate/study/request"

	"github.com/urfave/cli/v2"
)

func validateFlags() []cli.Flag {
	return append([]cli.Flag{
		stringFlag("vary", "`PATH=VALUES` field and values of the horizontal axis of figures, such as load=0.5:3:0.5"),
		listFlag("policy", "`LIST` policies by commas, as in simulate; repeatable (default the headline set)"),
		listFlag("admission",
			"`A` all (default), analytic, simulated, threshold, state, prices or probabilities"),
		under(methodGroup, stringFlag("horizon",
			"`T` length of a replication as a time, such as 30d; job classes only")),
		under(methodGroup, stringFlag("gap", "`G` search for a bound until its gap is at most this share "+
			"(default 0.3%)")),
		outFlag("`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"),
	}, runFlags("`N` jobs per replication")...)
}

func (p *program) validate(c *cli.Context) error {
	return p.compare(c, "validating", func(q *request.Question, l *lab.Lab) (*ask.Comparison, error) {
		r, err := ask.AskedValidation(q)
		if err != nil {
			return nil, err
		}
		if c.IsSet("gap") {
			gap, ok := study.ParseFraction(c.String("gap"))
			if !ok || gap >= 1 {
				return nil, usagef("--gap: expected a share above 0 and below 1 such as 0.1%%, got %q", c.String("gap"))
			}
			r.Gap = gap
		}
		r.Line, r.Commit = commandLine(p.args), build().Commit
		return ask.Validate(c.Context, l, r)
	}, nil)
}

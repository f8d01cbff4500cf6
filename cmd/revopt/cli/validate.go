package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/simulate/ask"
	lab "revopt/simulate/run"
)

func validateFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		stringFlag("vary", "`PATH=VALUES` field and values of the horizontal axis of figures, such as load=0.5:3:0.5"),
		listFlag("policy", "`LIST` policies by commas, as in simulate; repeatable (default the headline set)"),
		listFlag("admission",
			"`A` all (default), analytic, simulated, prices or probabilities"),
		under(methodGroup, stringFlag("gap", "`G` search for a bound until its gap is at most this share "+
			"(default 1%)")),
	}, drawFlags("`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"),
		except(runFlags("`N` jobs per replication"), "warmup"))
}

func (p *program) validate(c *cli.Context) error {
	return p.compare(c, "validating", func(q *ask.Question, l *lab.Lab) (*ask.Comparison, error) {
		r := q.Request
		if c.IsSet("gap") {
			gap, ok := ask.ParseFraction(c.String("gap"))
			if !ok || gap >= 1 {
				return nil, usagef("--gap: expected a share above 0 and below 1 such as 0.1%%, got %q", c.String("gap"))
			}
			r.Gap = gap
		}
		return ask.Validate(c.Context, l, r)
	}, nil)
}

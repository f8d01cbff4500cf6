package cli

import (
	"github.com/urfave/cli/v2"

	"revopt/simulate/ask"
)

// steerReportFlags are those of steer report alone.
func steerReportFlags() []cli.Flag {
	return allUnder(resultGroup,
		stringFlag("sacct", "`FILE` of steer report: output of TZ=UTC sacct -aPX -S DATE -o JobIDRaw,Start,End, by which "+
			"jobs are priced to the second"),
		stringFlag("html", "`FILE` of steer report: write one self-contained page"),
	)
}

// steerReport prices what a journal says happened.
func (p *program) steerReport(c *cli.Context) error {
	if c.NArg() < 2 || c.NArg() > 3 {
		return usagef("steer report: expected JOURNAL [SCENARIO], got %d arguments", c.NArg()-1)
	}
	q := ask.Steered{Journal: c.Args().Get(1), Scenario: c.Args().Get(2), Log: c.String("sacct"), Specs: p.specs}
	a, err := q.Answer(c.Context)
	if err != nil {
		return err
	}
	return p.tell(c, p.sign(a))
}

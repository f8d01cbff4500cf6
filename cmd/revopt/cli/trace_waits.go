package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/simulate/ask"
)

func traceWaitsFlags() []cli.Flag {
	return slices.Concat(scenarioFlags(), answerFlags("the table of customers, or another"),
		drawFlags("`FILE` write a figure as .png, .svg, .pdf or .csv; a directory gets all four"),
		[]cli.Flag{seedFlag("shares of customers"), quietFlag("warnings")})
}

func (p *program) traceWaits(c *cli.Context) error {
	q, err := p.open(c)
	if err != nil {
		return err
	}
	out, err := parseTarget(c)
	if err != nil {
		return err
	}
	w, err := await(c.Context, func() (*ask.Waited, error) { return ask.WaitingOf(c.Context, q.Subject) })
	if err != nil {
		return err
	}
	a := p.sign(w.Answer(q.Seed, c.String("table") == "jobs"))
	return p.tell(c, a, func() error { return out.save(a.Made(), w.Figure(), w.Figure()) })
}

package cli

import (
	"github.com/urfave/cli/v2"

	"revopt/plots/report"
	"revopt/simulate/study"
	"revopt/simulate/study/compare"
)

func compareFlags() []cli.Flag {
	return []cli.Flag{
		jsonFlag(), csvFlag("all measures"),
		boolFlag("classes", "compare every class as well"),
		boolFlag("explain", "add who is affected: customers and groups of width, now in A and then in B"),
		quietFlag("warnings"),
	}
}

func (p *program) compare(c *cli.Context) error {
	if err := exactly(c, "A", "B"); err != nil {
		return err
	}
	var sides [2]*study.Result
	for i := range sides {
		side, err := loaded(c.Context, c.Args().Get(i), report.Load)
		if err != nil {
			return err
		}
		sides[i] = side
		p.noteBuild(c, c.Args().Get(i), sides[i].Version, sides[i].Build)
	}
	return p.present(c, report.Contrast{
		Contrast: compare.Compare(sides[0], sides[1]), ByClass: c.Bool("classes"),
		Explain: c.Bool("explain"),
		Version: build().Version, Command: commandLine(p.args),
	}, target{})
}

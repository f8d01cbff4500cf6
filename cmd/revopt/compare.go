package main

import (
	"github.com/urfave/cli/v2"

	"revopt/plots/report"
	"revopt/simulate/study"
)

func (p *program) compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "compare two saved results, paired if they have the same jobs",
		ArgsUsage: "A B [flags]",
		Description: `Compares two results of --save. Rows with the same policy and admission are compared
with each other; if there are none, rows with the same policy; else the first rows.
If replication k has the same jobs in both results, differences are paired, so that
the randomness of the jobs cancels. Machine, prices and policies may differ.
Otherwise the intervals are those of two independent means (Welch), and the output
gives the reason.

Examples:
  revopt simulate sp2-like --save now.json
  revopt simulate sp2-like --set trace.nodes=144 --save more.json
  revopt compare now.json more.json`,
		Flags: []cli.Flag{
			jsonFlag(), csvFlag("all measures"),
			boolFlag("classes", "compare every class as well"),
			quietFlag("warnings"),
		},
		Action: p.compare,
	}
}

func (p *program) compare(c *cli.Context) error {
	if err := exactly(c, "A", "B"); err != nil {
		return err
	}
	var sides [2]*study.Result
	for i := range sides {
		var err error
		if sides[i], err = loaded(c.Context, c.Args().Get(i), report.Load); err != nil {
			return err
		}
		p.noteBuild(c, c.Args().Get(i), sides[i].Version, sides[i].Build)
	}
	return p.present(c, report.Contrast{
		Contrast: study.Compare(sides[0], sides[1]), ByClass: c.Bool("classes"),
		Version: build().Version, Command: commandLine(p.args),
	}, target{})
}

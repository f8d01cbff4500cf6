package main

import (
	"github.com/urfave/cli/v2"

	"revopt/plots/report"
	"revopt/simulate/study"
)

func (p *program) compareCommand() *cli.Command {
	return &cli.Command{
		Name:      "compare",
		Usage:     "one saved result against another, paired where they have the same jobs",
		ArgsUsage: "A B [flags]",
		Description: `Sets two results that were kept with --save against each other, policy by policy,
else the first of A against the first of B. Where replication k has the same jobs in
both, whatever the machine, the prices and the policies are, differences are paired,
so that the luck of the jobs cancels; else they are those of independent means
(Welch), and the reason is printed.

Examples:
  revopt simulate sp2-like --save now.json
  revopt simulate sp2-like --set trace.nodes=144 --save more.json
  revopt compare now.json more.json`,
		Flags: []cli.Flag{
			jsonFlag(), csvFlag("all measures"),
			&cli.BoolFlag{Name: "classes", Usage: "compare every class as well"},
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
		if sides[i], err = loaded(c.Args().Get(i), report.Load); err != nil {
			return err
		}
		p.noteBuild(c, c.Args().Get(i), sides[i].Version, sides[i].Build)
	}
	return p.present(c, report.Contrast{
		Contrast: study.Compare(sides[0], sides[1]), ByClass: c.Bool("classes"), Version: build().Version, Command: commandLine(p.args),
	}, target{})
}

package cli

import (
	"slices"

	"github.com/urfave/cli/v2"

	"revopt/simulate/ask"
	lab "revopt/simulate/run"
)

func whatIfFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		listFlag("change", "`CHANGE` such as nodes=+16 (units of the machine, also cores=, gpus=, processors=), "+
			"growth=20%, priority=CUSTOMER or policy=best; repeatable (required)"),
		listFlag("policy", "`P` policy before the changes, options as in hol:backfill=true "+
			"(default the scenario's first)"),
		under(methodGroup, stringFlag("admission", "`A` admission before the changes, as in simulate (default all)")),
		listFlag("cost", "`C` cost of an added unit of the machine (node, core, gpu, processor): 0.30/node-hour, "+
			"or 9000/node with --life; repeatable, one for each unit of pools"),
		stringFlag("life", "`T` life of a unit that costs a price, such as 5y"),
	}, allUnder(figureGroup, drawFlags("`DIR|FILE` write the figure: to a directory, or one .png, .svg, .pdf or .csv")...),
		runFlags("`N` jobs per replication, warm-up included"))
}

func (p *program) whatIf(c *cli.Context) error {
	return p.compare(c, "simulating", func(q *ask.Question, l *lab.Lab) (*ask.Comparison, error) {
		return ask.WhatIf(c.Context, l, q.Request)
	}, nil)
}

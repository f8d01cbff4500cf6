package cli

import (
	"github.com/urfave/cli/v2"

	"revopt/plots/report"
)

func whatIfFlags() []cli.Flag {
	return append([]cli.Flag{
		listFlag("change", "`CHANGE` such as nodes=+16 (units of the machine, also cores=, gpus=, processors=), "+
			"growth=20%, priority=CUSTOMER or policy=best; repeatable (required)"),
		listFlag("policy", "`P` policy before the changes, options as in hol:backfill=true "+
			"(default the scenario's first)"),
		under(methodGroup, stringFlag("admission", "`A` admission before the changes, as in simulate (default all)")),
		listFlag("cost", "`C` cost of an added unit of the machine (node, core, gpu, processor): 0.30/node-hour, "+
			"or 9000/node with --life; repeatable, one for each unit of pools"),
		objectiveFlag("what changes are compared by"),
		stringFlag("life", "`T` life of a unit that costs a price, such as 5y"),
		under(methodGroup, boolFlag("formula",
			"add the formula of revopt solve to the table; on traces it is fitted to the jobs")),
		boolFlag("explain", "add who is affected, the method to believe, the doubts about the formula and the bound"),
		stringFlag("html", "`FILE` write one self-contained page: verdicts, table, figure, scenario"),
		under(figureGroup, outFlag("`DIR|FILE` write the figure: to a directory, or one .png, .svg, .pdf or .csv")),
	}, except(runFlags("`N` jobs per replication, warm-up included"), "precision", "metric")...)
}

func (p *program) whatIf(c *cli.Context) error {
	where, err := parseTarget(c)
	if err != nil {
		return err
	}
	q, err := p.openRun(c)
	if err != nil {
		return err
	}
	w, err := q.WhatIf()
	if err != nil {
		return err
	}
	result, err := ran(p, c, &w.Runner, w.Run)
	if result == nil {
		return err
	}
	result.Warnings = append(q.Repeated(result.Once), result.Warnings...)
	result.Command, result.Build = p.origin(c)
	view := &report.WhatIf{
		Result: result, Formula: c.Bool("formula") || c.Bool("explain"), Explain: c.Bool("explain"),
	}
	return p.finish(c, view, where, result.Samples, err, nil)
}

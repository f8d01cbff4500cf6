package cli

import (
	"errors"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/simulate/ask"
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
		explainFlag(), tableFlag(),
		stringFlag("html", "`FILE` write one self-contained page: answer, tables, scenario"),
		under(figureGroup, outFlag("`DIR|FILE` write the figure: to a directory, or one .png, .svg, .pdf or .csv")),
	}, except(runFlags("`N` jobs per replication, warm-up included"), "precision", "metric")...)
}

func (p *program) whatIf(c *cli.Context) error {
	if _, err := parseTarget(c); err != nil {
		return err
	}
	q, err := p.openRun(c)
	if err != nil {
		return err
	}
	store, err := p.store(c)
	if err != nil {
		return err
	}
	defer store.Close()
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	bench, err := q.Lab(c.Context, store, func(done, total int) { show.Show("simulating", done, total) })
	if err != nil {
		return err
	}
	compared, err := ask.WhatIf(c.Context, bench, q.Request)
	show.Clear()
	if compared == nil {
		return p.stopped(c, err)
	}
	files := []func() error{p.saved(c, compared), flagFile(c, "cells", compared.WriteCells),
		p.figures(c, compared.Answer)}
	return errors.Join(p.tell(c, compared.Answer, files...), p.halted(c, compared.Answer, err), store.Close())
}

package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/urfave/cli/v2"

	"revopt/plots"
)

func (p *program) validateCommand() *cli.Command {
	return &cli.Command{
		Name:      "validate",
		Usage:     "what share of the possible every policy earns: policies against bounds",
		ArgsUsage: "SCENARIO [flags]",
		Description: `Runs every policy that applies on the same jobs, computes what no policy can
exceed on them (proven bounds) and what the queueing model predicts (model bounds,
which policies may pass), and prints the policies by efficiency: the value they
deliver as a share of the least proven bound.

Every replication starts empty, has no warm-up and runs until its last job has
ended. Those of job classes have at most about 5,000 jobs unless --jobs or --horizon
says otherwise, so that the bound is found in seconds; a number for --jobs of a trace
means its last ones. With --html or -o figures run along the load or the arrival
delay factor, or along what --vary says.

Examples:
  revopt validate sp2-like --html page.html
  revopt validate nist-cluster --load 3 --policy hol --admission all,analytic
  revopt validate nist-cluster --vary load=0.5:3:0.5 -o out --csv out/loads.csv
  revopt validate sp2-sla --jobs 1000 --replications 5 --json`,
		Flags:  validateFlags(),
		Action: p.validate,
	}
}

func validateFlags() []cli.Flag {
	return append([]cli.Flag{
		&cli.StringFlag{Name: "html", Usage: "`FILE` write one self-contained page: table, figures, bounds, scenario"},
		&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR|FILE` write figures: all to a directory, or one .png, .svg, .pdf or .csv"},
		&cli.StringFlag{Name: "vary", Usage: "`PATH=VALUES` the field that figures run along and its values, such as load=0.5:3:0.5"},
		&cli.StringFlag{Name: "policy", Usage: "`LIST` policies by commas, options as in hol:backfill=true (default all that apply)"},
		&cli.StringSliceFlag{Name: "admission", Usage: "`A` all, analytic, simulated, or probabilities; repeatable (default these three)"},
		&cli.StringFlag{Name: "replications", Usage: "`N` replications; with --precision at most, then by default 1280"},
		&cli.StringFlag{Name: "jobs", Usage: "`N` jobs per replication"},
		&cli.StringFlag{Name: "horizon", Usage: "`T` length of a replication as a time, such as 30d; job classes only"},
		&cli.StringFlag{Name: "warmup", Usage: "`W` refused: against a bound every job counts, so there is no warm-up"},
		&cli.StringFlag{Name: "precision", Usage: "`P` replicate until the intervals are this share of the mean, such as 1%"},
		&cli.StringFlag{Name: "metric", Usage: "`M` whose intervals --precision looks at (default revenue_per_second)"},
		&cli.StringFlag{Name: "level", Value: "0.95", Usage: "`L` level of confidence of the intervals"},
		&cli.Uint64Flag{Name: "seed", Value: 1, Usage: "`N` seed of the random numbers"},
		&cli.IntFlag{Name: "workers", Value: runtime.NumCPU(), Usage: "`N` runs at a time; changes no result"},
	}, append(scenarioFlags(), jsonFlag(), csvFlag("all figures"), quietFlag("progress and no warnings"))...)
}

func (p *program) validate(c *cli.Context) error {
	where, err := parseTarget(c.String("out"))
	if err != nil {
		return err
	}
	if err := checkFiles(c); err != nil {
		return err
	}
	v, err := p.openValidation(c, where)
	if err != nil {
		return err
	}
	err = v.run(c.Context)
	if err != nil && (!errors.Is(err, context.Canceled) || v.own.found == nil) {
		return fmt.Errorf("validate: %w", err)
	}
	report := newValidateReport(v)
	if report.Interrupted = err != nil; report.Interrupted {
		// What is finished is worth having, but no file claims to be all.
		err = fmt.Errorf("validate: stopped after %s: %w", plural(report.Replications, "replication"), err)
		return errors.Join(p.printValidation(c, report), err)
	}
	// A file that cannot be written does not cost the reader the results.
	err = p.saveValidation(c, where, report)
	return errors.Join(p.printValidation(c, report), err)
}

// checkFiles refuses two outputs in one file before anything runs.
func checkFiles(c *cli.Context) error {
	if html := c.String("html"); html != "" && filepath.Clean(html) == filepath.Clean(c.String("csv")) {
		return usagef("--html and --csv: expected two files, got %q twice", html)
	}
	return nil
}

// saveValidation writes the files that are asked for: the page last, as it is
// what people wait for.
func (p *program) saveValidation(c *cli.Context, where target, r *validateReport) error {
	shown := r.shown(p.args)
	prov := shown.Provenance()
	if path := c.String("csv"); path != "" {
		if err := writeTable(path, prov, r.records()); err != nil {
			return err
		}
	}
	if where.path != "" {
		if err := where.saveFigures(shown.Sheet(), shown.Figures(), prov); err != nil {
			return err
		}
	}
	if path := c.String("html"); path != "" {
		return plots.WriteFile(path, shown.Page)
	}
	return nil
}

// saveFigures writes figures: one beside the other to a file, each on its own
// and in every format to a directory.
func (t target) saveFigures(sheet plots.Sheet, list []plots.Figure, prov plots.Provenance) error {
	if !t.dir {
		return plots.SaveFile(t.path, sheet, prov)
	}
	var errs []error
	for _, fig := range list {
		_, err := plots.Save(t.path, fig, prov, plots.PNG, plots.SVG, plots.PDF, plots.CSV)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// printValidation writes what the command line asks for.
func (p *program) printValidation(c *cli.Context, r *validateReport) error {
	if c.Bool("json") {
		return p.printJSON(r)
	}
	r.shown(p.args).Table(p.stdout)
	return p.warn(c, r.briefly())
}

package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"revopt/internal/cells"
	"revopt/internal/meter"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/report"
	"revopt/plots/wording"
	"revopt/simulate/plan"
	"revopt/simulate/subject"
	"revopt/simulate/warn"
)

func sweepFlags() []cli.Flag {
	return append([]cli.Flag{
		outFlag("`DIR` directory for the results (default FILE without its extension)"),
		&cli.BoolFlag{Name: "resume", Value: true,
			Usage: "resume from the results in DIR; --resume=false refuses a DIR that has any"},
		workersFlag("cells"),
		objectiveFlag("what the best policy of each point, and bounds, are about, as objective in FILE"),
		boolFlag("plain", "measure without control variates, as with plain: true in FILE"),
		quietFlag("progress"),
	}, slices.Concat(engineFlags(), execFlags())...)
}

func (p *program) sweep(c *cli.Context) error {
	switch c.Args().First() {
	case "merge", "status", "cancel":
		return p.sweepDirectory(c)
	}
	if err := exactly(c, "FILE"); err != nil {
		return err
	}
	return p.sweepRun(c)
}

// sweepDirectory does what needs a directory only.
func (p *program) sweepDirectory(c *cli.Context) error {
	if err := exactly(c, "merge, status or cancel", "DIR"); err != nil {
		return err
	}
	verb, dir := c.Args().First(), c.Args().Get(1)
	flag := firstSet(c, "out", "resume", "shard", "workers", "plain", "objective", "engine", "tasks", "sbatch-arg",
		"no-wait")
	if flag != "" {
		return usagef("sweep %s: unexpected flag --%s", verb, flag)
	}
	if verb == "cancel" {
		more, _ := filepath.Glob(filepath.Join(dir, "[1-9]*")) // further plans
		jobs, err := cells.CancelSlurm(c.Context, append([]string{dir}, more...)...)
		if err != nil {
			return fmt.Errorf("sweep cancel: %w", err)
		}
		p.sweepSay(dir, "canceled Slurm job "+strings.Join(jobs, ", "), "")
		return nil
	}
	samples, err := plan.CollectSweep(c.Context, dir, p.specs, verb == "status")
	switch {
	case err != nil:
		return fmt.Errorf("sweep %s: %w", verb, err)
	case verb == "status":
		builds, err := otherBuilds(samples.Builds())
		p.sweepSay(dir, report.SweepStatus(samples), builds)
		return err
	case !samples.Complete():
		return fmt.Errorf("sweep merge: %s: only %s are finished", dir, report.SweepProgress(samples))
	}
	guard, err := p.sweepGuard("", samples.Plan())
	if err != nil {
		return err
	}
	return p.sweepTable(c, guard, dir, samples)
}

// sweepGuard keeps the tables of a sweep from replacing its inputs.
func (p *program) sweepGuard(file string, plan *plan.Plan) (safefile.Guard, error) {
	doc := plan.Document()
	sc, err := doc.Scenario(subject.Known(p.specs))
	if err != nil {
		return safefile.Guard{}, err
	}
	return safefile.Guard{Inside: true, Inputs: append(sc.Files(), file, doc.File())}, nil
}

// sweepRun runs a sweep file and writes its tables when all is finished.
func (p *program) sweepRun(c *cli.Context) error {
	file := c.Args().First()
	dir := cmp.Or(c.String("out"), strings.TrimSuffix(file, filepath.Ext(file)))
	if dir == file {
		return usagef("sweep: expected -o DIR, as %s has no ending to leave out", file)
	}
	show := meter.New(p.stderr, c.Bool("quiet"), true)
	runner, err := p.runner(c, dir, show.Show)
	if err != nil {
		return err
	}
	if !c.Bool("resume") && cells.Started(dir) {
		return usagef("--resume=false: %s holds results already: give another directory", dir)
	}
	work, err := p.readSweep(c, file)
	if err != nil {
		return err
	}
	guard, err := p.sweepGuard(file, work.Plan)
	if err != nil {
		return err
	}
	if err := checkInside("sweep", dir, []string{tableFile, admissionsFile, cellsName}, guard.Inputs...); err != nil {
		return err
	}
	samples, err := runner.Run(c.Context, work, "sweep")
	show.Clear()
	switch {
	case err != nil && samples != nil:
		return fmt.Errorf("sweep: %s are finished and kept in %s: %w", report.SweepProgress(samples), dir, err)
	case err != nil:
		return p.unfinished(c, runner, err)
	}
	n, _ := samples.Replications(0)
	p.warn(c, warn.Repeated(work.Plan.Seeds(), n == 1))
	return p.sweepTable(c, guard, dir, samples)
}

// readSweep reads and checks a sweep file. Errors of a point of it name the file.
func (p *program) readSweep(c *cli.Context, file string) (*plan.Execution, error) {
	plan, err := await(c.Context, func() (*plan.Plan, error) { return plan.ReadSweep(file, p.filed(c)) })
	if err != nil {
		return nil, err
	}
	plan.Plain = plan.Plain || c.Bool("plain")
	if c.IsSet("objective") {
		objective, err := scenario.ParseObjective(c.String("objective"))
		if err != nil {
			return nil, usagef("--objective %s: %v", c.String("objective"), err)
		}
		plan.SetObjective(objective)
	}
	work, err := plan.Open(c.Context, &subject.Opener{Seed: plan.Seed, Workers: c.Int("workers"), Policies: p.filed(c)})
	var bad *scenario.Error
	switch {
	case err == nil || errors.As(err, &bad) && strings.HasPrefix(bad.File, file+":"):
		return work, err
	case badInput(err):
		return nil, usagef("%s: %s", file, err)
	}
	return nil, fmt.Errorf("%s: %w", file, err)
}

// The files of the tables of a sweep.
const (
	tableFile      = "table.csv"
	admissionsFile = "admissions.csv"
	cellsName      = "cells.csv"
)

// sweepTable writes the tables of a complete sweep.
func (p *program) sweepTable(c *cli.Context, guard safefile.Guard, dir string, samples *plan.Samples) error {
	prov, err := report.SweepProvenance(samples, build().Version)
	tables := map[string]wording.Rows{tableFile: report.SweepTable(samples), cellsName: report.Cells(samples)}
	if len(samples.Found()) > 0 {
		tables[admissionsFile] = report.SweepAdmissions(samples)
	}
	for _, name := range []string{admissionsFile, cellsName, tableFile} {
		if rows := tables[name]; err == nil && rows != nil {
			err = guard.Write(filepath.Join(dir, name),
				func(w io.Writer) error { return wording.WriteCSV(w, prov, rows) })
		}
	}
	if err != nil {
		return fmt.Errorf("sweep: all cells are finished and kept in %s, but there is no table: %w", dir, err)
	}
	p.sweepSay(filepath.Join(dir, tableFile), report.SweepSummary(samples), "")
	for _, words := range report.SweepBest(samples) {
		fmt.Fprintln(p.stdout, words)
	}
	skewed, err := plan.Skewed(c.Context, samples)
	if err != nil {
		return fmt.Errorf("sweep: the table is written, but not checked for skewed waits: %w", err)
	}
	p.warn(c, skewed)
	return nil
}

// sweepSay prints a line about a sweep, with the builds that wrote its journals if they are others than this one.
func (p *program) sweepSay(path, words, builds string) {
	if builds != "" {
		words += "; results of " + builds
	}
	fmt.Fprintf(p.stdout, "%s: %s\n", text.OneLine(path), words)
}

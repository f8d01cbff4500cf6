package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/cells"
	"revopt/internal/safefile"
	"revopt/model/scenario"
	"revopt/optimize"
	"revopt/plots"
	"revopt/simulate/sweep"
)

func (p *program) sweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "parameters x policies x seeds on all cores, resumable",
		ArgsUsage: "FILE -o DIR | merge DIR | status DIR | cancel DIR",
		Description: `Runs what a sweep file asks for: a scenario (job classes, a trace or a grid),
the parameters that vary, policies, admissions (all, analytic, simulated or
probabilities), and how many seeds or how narrow the intervals must be. Every
finished run is kept in DIR at once, so the same command goes on where it was
interrupted or killed. The tables DIR/table.csv and, of the admissions that were
found, DIR/admissions.csv are the same to the byte however the work was cut up.

With --shard i/n it runs every n-th cell, from the i-th, into a journal of its
own; any number of shards may share DIR at a time. merge makes the tables of
them, status says how far they are. With --engine slurm the shards are the tasks
of a Slurm array job; cancel ends it. See docs/sweeps.md.

Examples:
  revopt sweep study.yaml -o out/study
  revopt sweep study.yaml -o out/study --shard 3/8
  revopt sweep study.yaml -o /shared/study --engine slurm --tasks 50 --sbatch-arg=--time=2:00:00
  revopt sweep merge out/study
  revopt sweep status out/study`,
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "out", Aliases: []string{"o"}, Usage: "`DIR` to keep results in (default FILE without its ending)"},
			&cli.BoolFlag{Name: "resume", Value: true, Usage: "go on with what DIR holds; --resume=false refuses it"},
			&cli.BoolFlag{Name: "mix-versions", Usage: "take results of other builds of revopt in DIR as well; tables then name all"},
			&cli.StringFlag{Name: "shard", Usage: "`I/N` run this part of the cells only, such as 3/8"},
			&cli.IntFlag{Name: "workers", Value: runtime.NumCPU(), Usage: "`N` cells to run at a time; changes no result"},
			&cli.StringFlag{Name: "engine", Value: engineLocal, Usage: "`E` local, or slurm: an array job of a Slurm cluster"},
			&cli.IntFlag{Name: "tasks", Value: 8, Usage: "`N` tasks of the array job"},
			&cli.StringSliceFlag{Name: "sbatch-arg", Usage: "`ARG` for sbatch, such as --time=2:00:00; repeatable"},
			&cli.BoolFlag{Name: "no-wait", Usage: "submit the array job and leave"},
			quietFlag("progress"),
		},
		Action: p.sweep,
	}
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
	for _, name := range []string{"out", "resume", "shard", "workers", "engine", "tasks", "sbatch-arg", "no-wait"} {
		if c.IsSet(name) {
			return usagef("sweep %s: unexpected flag --%s", verb, name)
		}
	}
	switch verb {
	case "merge":
		return p.sweepMerge(dir, c.Bool("mix-versions"))
	case "cancel":
		return p.sweepCancel(c.Context, dir)
	}
	return p.sweepStatus(dir)
}

// sweepRun runs a sweep file and writes its table when all is finished.
func (p *program) sweepRun(c *cli.Context) error {
	local, err := sweepLocal(c)
	if err != nil {
		return err
	}
	if slurm, err := sweepEngine(c); err != nil || slurm {
		if err != nil {
			return err
		}
		return p.sweepSlurm(c, local)
	}
	show := newSweepMeter(p.stderr, c.Bool("quiet"))
	local.Progress = show.step
	results, err := local.Run(c.Context)
	show.clear()
	var other *sweep.OtherSweepError
	switch {
	case errors.As(err, &other):
		return usagef("%s", err)
	case err != nil && results != nil:
		return fmt.Errorf("sweep: %s are finished and kept in %s: %w", sweepProgress(results), local.Dir, err)
	case err != nil:
		return err
	case !results.Complete():
		fmt.Fprintf(p.stdout, "%s: shard %d/%d is finished, %s so far\n", oneLine(local.Dir), local.Shard.Index, local.Shard.Of, sweepProgress(results))
		return nil
	}
	return p.sweepTable(local.Dir, results)
}

// sweepLocal returns the work that the command line asks for.
func sweepLocal(c *cli.Context) (*sweep.Local, error) {
	file := c.Args().First()
	local := &sweep.Local{Dir: c.String("out"), Workers: c.Int("workers"), MixBuilds: c.Bool("mix-versions"), Version: build().Version}
	if local.Dir == "" {
		local.Dir = strings.TrimSuffix(file, filepath.Ext(file))
	}
	if local.Dir == file {
		return nil, usagef("sweep: expected -o DIR, as %s has no ending to leave out", file)
	}
	if local.Workers < 1 {
		return nil, usagef("--workers: expected a whole number of at least 1, got %d", local.Workers)
	}
	if !c.Bool("resume") && sweep.Started(local.Dir) {
		return nil, usagef("--resume=false: %s holds results already: give another directory", local.Dir)
	}
	var err error
	if c.IsSet("shard") {
		if local.Shard, err = sweep.ParseShard(c.String("shard")); err != nil {
			return nil, usagef("--shard: %s", err)
		}
	}
	spec, err := sweep.ReadSpec(file)
	if err != nil {
		return nil, err
	}
	local.Plan, err = sweep.NewPlan(spec)
	var bad *scenario.Error
	switch {
	case errors.As(err, &bad) && strings.HasPrefix(bad.File, file+":"):
		return nil, usagef("%s", bad)
	case errors.As(err, &bad):
		return nil, usagef("%s: %s", file, bad)
	case err != nil:
		return nil, usagef("%s: %s", file, bare(err))
	}
	if err := local.Plan.Open(); err != nil {
		return nil, err
	}
	local.Plan.Analytic, local.Plan.Starts = analyticAdmission, searchStarts
	return local, nil
}

// analyticAdmission returns what solve finds.
func analyticAdmission(ctx context.Context, sc *scenario.Scenario) ([]float64, error) {
	best, err := optimize.Solve(ctx, sc.System(), optimize.Settings{})
	return best.Admit, err
}

// searchStarts returns where simulate starts its searches too.
func searchStarts(ctx context.Context, sc *scenario.Scenario) ([][]float64, error) {
	return optimize.Candidates(ctx, sc.System())
}

// sweepTable writes the tables of a complete sweep.
func (p *program) sweepTable(dir string, results *sweep.Results) error {
	path := filepath.Join(dir, "table.csv")
	guard := safefile.Guard{Inside: true}
	prov, err := sweepProvenance(results)
	if err == nil && results.Searched() {
		err = writeCommented(guard, filepath.Join(dir, "admissions.csv"), prov, results.WriteAdmissions)
	}
	if err == nil {
		err = writeCommented(guard, path, prov, results.WriteTable)
	}
	if err != nil {
		return fmt.Errorf("sweep: all cells are finished and kept in %s, but there is no table: %w", dir, err)
	}
	text := plural(results.Finished(), "cell")
	if n := results.Imprecise(); n > 0 {
		spec := results.Plan().Spec
		text += fmt.Sprintf("; at %s %d replications do not make the interval of %s as narrow as %.4g %% of its mean",
			plural(n, "point"), spec.Replications, spec.Precision.Metric, 100*spec.Precision.Relative)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s\n", oneLine(path), text)
	return err
}

// sweepProvenance says what made the tables of a sweep, whoever writes them: it
// names no command, since the same sweep gives the same bytes however it is run.
func sweepProvenance(results *sweep.Results) (plots.Provenance, error) {
	spec, doc := results.Plan().Spec, results.Plan().Scenario()
	prov := plots.Provenance{Version: build().Version, Scenario: doc.Name(), Seed: &spec.Seed}
	if doc.IsTrace() {
		sc, err := doc.Trace(sweep.KnownPolicies())
		if err != nil {
			return prov, err
		}
		prov.Cleaning = sc.Cleaning
	}
	var set []string
	for _, s := range spec.Set {
		set = append(set, s.Path+"="+s.Value)
	}
	prov.Extra = []plots.Pair{{Key: "overrides", Value: strings.Join(set, ", ")}, {Key: "trace_sha256", Value: spec.TraceSum}, {Key: "sweep", Value: spec.Hash()}}
	if builds, err := otherBuilds(results); err != nil || builds != "" {
		prov.Extra = append(prov.Extra, plots.Pair{Key: "builds", Value: builds})
		return prov, err
	}
	return prov, nil
}

// otherBuilds names the builds that computed results, nothing where that is this
// one alone.
func otherBuilds(results *sweep.Results) (string, error) {
	this, err := cells.ThisBuild(build().Version)
	if err != nil {
		return "", err
	}
	list := results.Builds()
	if len(list) == 0 || len(list) == 1 && list[0].Sum == this.Sum {
		return "", nil
	}
	var words []string
	for _, b := range list {
		words = append(words, b.String())
	}
	return strings.Join(words, ", "), nil
}

// sweepProgress says how many cells are finished.
func sweepProgress(results *sweep.Results) string {
	finished, total := results.Progress()
	least := ""
	if results.Plan().Spec.Precision != nil {
		least = "at least "
	}
	return fmt.Sprintf("%s of %s%s", separated(float64(finished), 0), least, plural(total, "cell"))
}

// sweepMerge makes the table of all journals of a directory.
func (p *program) sweepMerge(dir string, mix bool) error {
	collect := sweep.Collect
	if mix {
		collect = sweep.CollectMixed
	}
	_, results, err := collect(dir)
	if err != nil {
		return fmt.Errorf("sweep merge: %w", err)
	}
	if !results.Complete() {
		return fmt.Errorf("sweep merge: %s: only %s are finished", dir, sweepProgress(results))
	}
	return p.sweepTable(dir, results)
}

// sweepStatus says how far a sweep is. Where a precision is asked for, it says
// at how many points it is settled how many replications there are.
func (p *program) sweepStatus(dir string) error {
	plan, results, err := sweep.CollectMixed(dir)
	if err != nil {
		return fmt.Errorf("sweep status: %w", err)
	}
	finished, total := results.Progress()
	text := fmt.Sprintf("%s of %s finished (%s)", separated(float64(finished), 0), plural(total, "cell"), ratio(float64(finished), float64(total)))
	if plan.Spec.Precision != nil {
		text = fmt.Sprintf("%s finished, %d of %s settled", plural(finished, "cell"), results.Settled(), plural(plan.Points(), "point"))
	}
	_, err = fmt.Fprintf(p.stdout, "%s: %s, sweep %s\n", oneLine(dir), text, plan.Spec.Hash())
	return err
}

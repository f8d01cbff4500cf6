package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/simulate/study"
)

func (p *program) sweepCommand() *cli.Command {
	return &cli.Command{
		Name:      "sweep",
		Usage:     "parameters x policies x seeds on all cores, resumable",
		ArgsUsage: "FILE -o DIR | merge DIR | status DIR | cancel DIR",
		Description: `Runs what a sweep file asks for: a scenario (job classes, a trace or a grid),
the parameters that vary, policies, admissions (all, analytic, simulated, promise,
threshold, state, prices or probabilities), and how many seeds or how narrow the intervals must be.
Every finished run is kept in DIR at once, so the same command goes on where it was
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
			outFlag("`DIR` to keep results in (default FILE without its ending)"),
			&cli.BoolFlag{Name: "resume", Value: true, Usage: "go on with what DIR holds; --resume=false refuses it"},
			&cli.BoolFlag{Name: "mix-versions", Usage: "take results of other builds of revopt in DIR as well; tables then name all"},
			&cli.StringFlag{Name: "shard", Usage: "`I/N` run this part of the cells only, such as 3/8"},
			workersFlag("cells"), memoryFlag(),
			&cli.BoolFlag{Name: "plain", Usage: "measure without control variates, as with plain: true in FILE"},
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
	for _, name := range []string{"out", "resume", "shard", "workers", "plain", "engine", "tasks", "sbatch-arg", "no-wait"} {
		if c.IsSet(name) {
			return usagef("sweep %s: unexpected flag --%s", verb, name)
		}
	}
	if verb == "cancel" {
		return p.sweepCancel(c.Context, dir)
	}
	results, err := study.CollectSweep(c.Context, dir, nil, verb == "status" || c.Bool("mix-versions"))
	switch {
	case err != nil:
		return fmt.Errorf("sweep %s: %w", verb, err)
	case verb == "status":
		return p.sweepStatus(dir, results)
	case !results.Complete():
		return fmt.Errorf("sweep merge: %s: only %s are finished", dir, sweepProgress(results))
	}
	guard, err := sweepGuard("", results.Sweep())
	if err != nil {
		return err
	}
	return p.sweepTable(guard, dir, results)
}

// sweepGuard keeps the tables of a sweep from taking the place of a file that it is
// made of.
func sweepGuard(file string, sweep *study.Sweep) (safefile.Guard, error) {
	doc := sweep.Scenario()
	sc, err := doc.Scenario(study.Known(nil))
	if err != nil {
		return safefile.Guard{}, err
	}
	return safefile.Guard{Inside: true, Inputs: append(sc.Files(), file, doc.File())}, nil
}

// sweepRun runs a sweep file and writes its table when all is finished.
func (p *program) sweepRun(c *cli.Context) error {
	file := c.Args().First()
	engine, err := sweepEngine(c, file)
	if err != nil {
		return err
	}
	sweep, err := readSweep(c.Context, file, c.Bool("plain"))
	if err != nil {
		return err
	}
	guard, err := sweepGuard(file, sweep)
	if err != nil {
		return err
	}
	for _, name := range []string{tableFile, admissionsFile} {
		var refused *safefile.RefusedError
		if err := guard.Check(filepath.Join(engine.Dir, name)); errors.As(err, &refused) {
			return usagef("sweep: %s", refused)
		}
	}
	if c.String("engine") == engineSlurm {
		return p.sweepSlurm(c, sweep, engine, guard)
	}
	show := newSweepMeter(p.stderr, c.Bool("quiet"))
	engine.Progress = show.step
	results, err := sweep.RunOn(c.Context, engine)
	show.clear()
	switch {
	case err != nil && results != nil:
		return fmt.Errorf("sweep: %s are finished and kept in %s: %w", sweepProgress(results), engine.Dir, err)
	case err != nil:
		return err
	case !results.Complete():
		fmt.Fprintf(p.stdout, "%s: shard %d/%d is finished, %s so far\n", text.OneLine(engine.Dir), engine.Shard.Index, engine.Shard.Of, sweepProgress(results))
		return nil
	}
	return p.sweepTable(guard, engine.Dir, results)
}

// The values of --engine.
const (
	engineLocal = "local"
	engineSlurm = "slurm"
)

// sweepEngine returns the engine that the command line asks for.
func sweepEngine(c *cli.Context, file string) (study.Engine, error) {
	e := study.Engine{Dir: c.String("out"), MixBuilds: c.Bool("mix-versions"), Version: build().Version}
	if e.Dir == "" {
		e.Dir = strings.TrimSuffix(file, filepath.Ext(file))
	}
	if e.Dir == file {
		return e, usagef("sweep: expected -o DIR, as %s has no ending to leave out", file)
	}
	var err error
	if e.Workers, err = workers(c); err != nil {
		return e, err
	}
	if !c.Bool("resume") && study.Started(e.Dir) {
		return e, usagef("--resume=false: %s holds results already: give another directory", e.Dir)
	}
	if c.IsSet("shard") {
		if e.Shard, err = study.ParseShard(c.String("shard")); err != nil {
			return e, usagef("--shard: %s", err)
		}
	}
	switch name := c.String("engine"); name {
	case engineLocal:
		for _, flag := range []string{"tasks", "sbatch-arg", "no-wait"} {
			if c.IsSet(flag) {
				return e, usagef("--%s: expected --engine slurm with it", flag)
			}
		}
	case engineSlurm:
		for _, flag := range []string{"shard", "workers"} {
			if c.IsSet(flag) {
				return e, usagef("--%s: expected none with --engine slurm; give --tasks, or --sbatch-arg=--cpus-per-task=N", flag)
			}
		}
		if n := c.Int("tasks"); n < 1 {
			return e, usagef("--tasks: expected a whole number of at least 1, got %d", n)
		}
	default:
		return e, usagef("--engine: expected local or slurm, got %q", name)
	}
	return e, nil
}

// readSweep reads and checks a sweep file. Errors of a point of it name the
// file.
func readSweep(ctx context.Context, file string, plain bool) (*study.Sweep, error) {
	spec, err := study.ReadSweep(file, nil)
	if err != nil {
		return nil, err
	}
	spec.Plain = spec.Plain || plain
	sweep, err := study.NewSweep(ctx, spec)
	var bad *scenario.Error
	switch {
	case err == nil || errors.As(err, &bad) && strings.HasPrefix(bad.File, file+":"):
		return sweep, err
	case badInput(err):
		return nil, usagef("%s: %s", file, err)
	}
	return nil, fmt.Errorf("%s: %w", file, err)
}

// The files of the tables of a sweep.
const (
	tableFile      = "table.csv"
	admissionsFile = "admissions.csv"
)

// sweepTable writes the tables of a complete sweep.
func (p *program) sweepTable(guard safefile.Guard, dir string, results *study.SweepResults) error {
	path := filepath.Join(dir, tableFile)
	prov, err := sweepProvenance(results)
	if err == nil && results.Searched() {
		err = writeCommented(guard, filepath.Join(dir, admissionsFile), prov, results.WriteAdmissions)
	}
	if err == nil {
		err = writeCommented(guard, path, prov, results.WriteTable)
	}
	if err != nil {
		return fmt.Errorf("sweep: all cells are finished and kept in %s, but there is no table: %w", dir, err)
	}
	words := text.Plural(results.Finished(), "cell")
	if n := results.Imprecise(); n > 0 {
		spec := results.Sweep().Spec
		words += fmt.Sprintf("; at %s %d replications do not make the interval of %s as narrow as %.4g %% of its mean",
			text.Plural(n, "point"), spec.Replications, spec.Precision.Metric, 100*spec.Precision.Relative)
	}
	mixed, err := buildWords(results)
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "%s: %s%s\n", text.OneLine(path), words, mixed)
	}
	if n := results.Short(); err == nil && n > 0 {
		err = &shortError{fmt.Sprintf("for %s no admission was found that keeps all promises: %s says what can be kept", text.Plural(n, "case"), admissionsFile)}
	}
	return err
}

// sweepProvenance says what made the tables of a sweep, whoever writes them: it
// names no command, since the same sweep gives the same bytes however it is run.
func sweepProvenance(results *study.SweepResults) (plots.Provenance, error) {
	spec, doc := results.Sweep().Spec, results.Sweep().Scenario()
	prov := plots.Provenance{Version: build().Version, Scenario: doc.Name(), Seed: &spec.Seed}
	sc, err := doc.Scenario(study.Known(nil))
	if err != nil {
		return prov, err
	}
	if sc.Trace != nil {
		prov.Cleaning = sc.Trace.Cleaning
	}
	var set []string
	for _, s := range spec.Set {
		set = append(set, s.Path+"="+s.Value)
	}
	prov.Extra = []plots.Pair{{Key: "overrides", Value: strings.Join(set, ", ")}, {Key: "trace_sha256", Value: spec.TraceSum}, {Key: "sweep", Value: spec.Hash()}}
	builds, err := otherBuilds(results.Builds())
	if builds != "" {
		prov.Extra = append(prov.Extra, plots.Pair{Key: "builds", Value: builds})
	}
	return prov, err
}

// buildWords names the builds in a line of output.
func buildWords(results *study.SweepResults) (string, error) {
	builds, err := otherBuilds(results.Builds())
	if builds != "" {
		builds = "; results of " + builds
	}
	return builds, err
}

// sweepProgress says how many cells are finished.
func sweepProgress(results *study.SweepResults) string {
	finished, total := results.Progress()
	least := ""
	if results.Sweep().Spec.Precision != nil {
		least = "at least "
	}
	return fmt.Sprintf("%s of %s%s", text.Fixed(float64(finished), 0), least, text.Plural(total, "cell"))
}

// sweepStatus says how far a sweep is. Where a precision is asked for, it says
// at how many points it is settled how many replications there are.
func (p *program) sweepStatus(dir string, results *study.SweepResults) error {
	plan := results.Sweep()
	finished, total := results.Progress()
	words := fmt.Sprintf("%s of %s finished (%s)", text.Fixed(float64(finished), 0), text.Plural(total, "cell"), text.Percent(float64(finished)/float64(total)))
	if plan.Spec.Precision != nil {
		words = fmt.Sprintf("%s finished, %d of %s settled", text.Plural(finished, "cell"), results.Settled(), text.Plural(plan.Points(), "point"))
	}
	mixed, err := buildWords(results)
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "%s: %s, sweep %s%s\n", text.OneLine(dir), words, plan.Spec.Hash(), mixed)
	}
	return err
}

// sweepSlurm runs the sweep on a Slurm cluster.
func (p *program) sweepSlurm(c *cli.Context, sweep *study.Sweep, engine study.Engine, guard safefile.Guard) error {
	s := &study.Slurm{Sweep: sweep, Tasks: c.Int("tasks"), Args: c.StringSlice("sbatch-arg"), NoWait: c.Bool("no-wait"), MixBuilds: engine.MixBuilds}
	if !c.Bool("quiet") {
		s.Log = func(line string) { fmt.Fprintln(p.stderr, line) }
	}
	var err1, err2, err3 error
	s.Program, err1 = os.Executable()
	s.File, err2 = filepath.Abs(c.Args().First())
	s.Dir, err3 = filepath.Abs(engine.Dir)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	results, err := s.Run(c.Context)
	switch {
	case err != nil:
		return fmt.Errorf("sweep: %w", err)
	case !results.Complete():
		fmt.Fprintf(p.stdout, "%s: submitted; see revopt sweep status, then revopt sweep merge\n", text.OneLine(engine.Dir))
		return nil
	}
	return p.sweepTable(guard, engine.Dir, results)
}

// sweepCancel cancels the jobs of a directory.
func (p *program) sweepCancel(ctx context.Context, dir string) error {
	jobs, err := study.CancelSlurm(ctx, dir)
	if err != nil {
		return fmt.Errorf("sweep cancel: %w", err)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: canceled Slurm job %s\n", text.OneLine(dir), strings.Join(jobs, ", "))
	return err
}

// sweepMeter says how far a sweep is: with a bar, ten times a second, on a
// terminal, else a line a minute.
type sweepMeter struct {
	w        io.Writer // nil shows nothing
	terminal bool
	now      func() time.Time

	mu    sync.Mutex
	start time.Time
	last  time.Time
	first int // cells that were finished before
}

func newSweepMeter(w io.Writer, quiet bool) *sweepMeter {
	m := &sweepMeter{w: w, terminal: isTerminal(w), now: time.Now}
	if quiet {
		m.w = nil
	}
	return m
}

// step shows how many cells are finished, unless it did just before. The first
// call tells how many were finished before this run.
func (m *sweepMeter) step(finished, total int) {
	if m.w == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	now, pause := m.now(), time.Minute
	if m.terminal {
		pause = 100 * time.Millisecond
	}
	starts := m.start.IsZero()
	if starts {
		m.start, m.last, m.first = now, now, finished
	}
	if now.Sub(m.last) < pause && !(starts && m.terminal) {
		return
	}
	m.last = now
	words := m.words(finished, total, now.Sub(m.start).Seconds())
	if m.terminal {
		fmt.Fprintf(m.w, "%ssweep %s %s", clearLine, progressBar(finished, total), words)
	} else {
		fmt.Fprintf(m.w, "sweep: %s\n", words)
	}
}

// progressBar draws a share.
func progressBar(part, whole int) string {
	const width = 20
	n := width * part / max(1, whole)
	return "[" + strings.Repeat("#", n) + strings.Repeat("-", width-n) + "]"
}

// words says how many cells are finished, how fast, and how long the others will
// take. The longest cells run first, so that is rather too long than too short.
func (m *sweepMeter) words(finished, total int, seconds float64) string {
	rate := float64(finished-m.first) / seconds
	words := fmt.Sprintf("%d of %d cells", finished, total)
	if rate > 0 && seconds > 0 {
		words += fmt.Sprintf(", %s/s, %s left", text.Short(rate), text.Duration(float64(total-finished)/rate))
	}
	return words
}

func (m *sweepMeter) clear() {
	if m.w != nil && m.terminal {
		fmt.Fprint(m.w, clearLine)
	}
}

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/urfave/cli/v2"

	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots"
	"revopt/plots/report"
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
		Flags: append([]cli.Flag{
			outFlag("`DIR` to keep results in (default FILE without its ending)"),
			&cli.BoolFlag{Name: "resume", Value: true, Usage: "go on with what DIR holds; --resume=false refuses it"},
			&cli.BoolFlag{Name: "mix-versions", Usage: "take results of other builds of revopt in DIR as well; tables then name all"},
			workersFlag("cells"), memoryFlag(),
			&cli.BoolFlag{Name: "plain", Usage: "measure without control variates, as with plain: true in FILE"},
			quietFlag("progress"),
		}, engineFlags()...),
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
	samples, err := study.CollectSweep(c.Context, dir, nil, verb == "status" || c.Bool("mix-versions"))
	switch {
	case err != nil:
		return fmt.Errorf("sweep %s: %w", verb, err)
	case verb == "status":
		return p.sweepStatus(dir, samples)
	case !samples.Complete():
		return fmt.Errorf("sweep merge: %s: only %s are finished", dir, sweepProgress(samples))
	}
	guard, err := sweepGuard("", samples.Plan())
	if err != nil {
		return err
	}
	return p.sweepTable(guard, dir, samples)
}

// sweepGuard keeps the tables of a sweep from taking the place of a file that it is
// made of.
func sweepGuard(file string, plan *study.Plan) (safefile.Guard, error) {
	doc := plan.Document()
	sc, err := doc.Scenario(study.Known(nil))
	if err != nil {
		return safefile.Guard{}, err
	}
	return safefile.Guard{Inside: true, Inputs: append(sc.Files(), file, doc.File())}, nil
}

// sweepRun runs a sweep file and writes its tables when all is finished.
func (p *program) sweepRun(c *cli.Context) error {
	file := c.Args().First()
	dir := c.String("out")
	if dir == "" {
		dir = strings.TrimSuffix(file, filepath.Ext(file))
	}
	if dir == file {
		return usagef("sweep: expected -o DIR, as %s has no ending to leave out", file)
	}
	show := newSweepMeter(p.stderr, c.Bool("quiet"))
	runner, err := p.runner(c, dir, func(_ string, done, total int) { show.step(done, total) })
	if err != nil {
		return err
	}
	if !c.Bool("resume") && study.Started(dir) {
		return usagef("--resume=false: %s holds results already: give another directory", dir)
	}
	work, err := readSweep(c.Context, file, c.Bool("plain"))
	if err != nil {
		return err
	}
	guard, err := sweepGuard(file, work.Plan)
	if err != nil {
		return err
	}
	for _, name := range []string{tableFile, admissionsFile, cellsName} {
		var refused *safefile.RefusedError
		if err := guard.Check(filepath.Join(dir, name)); errors.As(err, &refused) {
			return usagef("sweep: %s", refused)
		}
	}
	samples, err := runner.Run(c.Context, work, "sweep")
	show.clear()
	switch {
	case err != nil && samples != nil:
		return fmt.Errorf("sweep: %s are finished and kept in %s: %w", sweepProgress(samples), dir, err)
	case err != nil:
		return p.unfinished(c, runner, err)
	}
	return p.sweepTable(guard, dir, samples)
}

// readSweep reads and checks a sweep file. Errors of a point of it name the file.
func readSweep(ctx context.Context, file string, plain bool) (*study.Execution, error) {
	plan, err := study.ReadSweep(file, nil)
	if err != nil {
		return nil, err
	}
	plan.Plain = plan.Plain || plain
	work, err := plan.Open(ctx, nil)
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
func (p *program) sweepTable(guard safefile.Guard, dir string, samples *study.Samples) error {
	prov, err := sweepProvenance(samples)
	tables := map[string]report.Rows{tableFile: report.SweepTable(samples), cellsName: report.Cells(samples)}
	if len(samples.Found()) > 0 {
		tables[admissionsFile] = report.SweepAdmissions(samples)
	}
	for _, name := range []string{admissionsFile, cellsName, tableFile} {
		if rows := tables[name]; err == nil && rows != nil {
			err = guard.Write(filepath.Join(dir, name), func(w io.Writer) error { return report.WriteCSV(w, prov, rows) })
		}
	}
	if err != nil {
		return fmt.Errorf("sweep: all cells are finished and kept in %s, but there is no table: %w", dir, err)
	}
	words := text.Plural(samples.Finished(), "cell")
	if n := samples.Imprecise(); n > 0 {
		plan := samples.Plan()
		words += fmt.Sprintf("; at %s %d replications do not make the interval of %s as narrow as %.4g %% of its mean",
			text.Plural(n, "point"), plan.Replications, plan.Stop.Metric, 100*plan.Stop.Relative)
	}
	mixed, err := buildWords(samples)
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "%s: %s%s\n", text.OneLine(filepath.Join(dir, tableFile)), words, mixed)
	}
	if n := samples.Short(); err == nil && n > 0 {
		err = &shortError{fmt.Sprintf("for %s no admission was found that keeps all promises: %s says what can be kept", text.Plural(n, "case"), admissionsFile)}
	}
	return err
}

// sweepProvenance says what made the tables of a sweep, whichever command writes them:
// it names no command, since the same sweep gives the same bytes however it is run.
func sweepProvenance(samples *study.Samples) (plots.Provenance, error) {
	plan := samples.Plan()
	doc := plan.Document()
	prov := plots.Provenance{Version: build().Version, Scenario: doc.Name(), Seed: &plan.Seed}
	sc, err := doc.Scenario(study.Known(nil))
	if err != nil {
		return prov, err
	}
	if sc.Trace != nil {
		prov.Cleaning = sc.Trace.Cleaning
	}
	var set []string
	for _, s := range plan.Set {
		set = append(set, s.Path+"="+s.Value)
	}
	prov.Extra = []plots.Pair{{Key: "overrides", Value: strings.Join(set, ", ")}, {Key: "trace_sha256", Value: strings.Join(plan.Traces, ", ")}, {Key: "sweep", Value: plan.Hash()}}
	builds, err := otherBuilds(samples.Builds())
	if builds != "" {
		prov.Extra = append(prov.Extra, plots.Pair{Key: "builds", Value: builds})
	}
	return prov, err
}

// buildWords names the builds in a line of output.
func buildWords(samples *study.Samples) (string, error) {
	builds, err := otherBuilds(samples.Builds())
	if builds != "" {
		builds = "; results of " + builds
	}
	return builds, err
}

// sweepProgress says how many cells are finished.
func sweepProgress(samples *study.Samples) string {
	finished, total := samples.Progress()
	least := ""
	if samples.Plan().Stop != nil {
		least = "at least "
	}
	return fmt.Sprintf("%s of %s%s", text.Fixed(float64(finished), 0), least, text.Plural(total, "cell"))
}

// sweepStatus says how far a sweep is. Where a precision is asked for, it says
// at how many points it is settled how many replications there are.
func (p *program) sweepStatus(dir string, samples *study.Samples) error {
	plan := samples.Plan()
	finished, total := samples.Progress()
	words := fmt.Sprintf("%s of %s finished (%s)", text.Fixed(float64(finished), 0), text.Plural(total, "cell"), text.Percent(float64(finished)/float64(total)))
	if plan.Stop != nil {
		words = fmt.Sprintf("%s finished, %d of %s settled", text.Plural(finished, "cell"), samples.Settled(), text.Plural(plan.Points(), "point"))
	}
	mixed, err := buildWords(samples)
	if err == nil {
		_, err = fmt.Fprintf(p.stdout, "%s: %s, sweep %s%s\n", text.OneLine(dir), words, plan.Hash(), mixed)
	}
	return err
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

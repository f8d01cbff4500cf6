package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"revopt/internal/cells"
	"revopt/internal/meter"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/model/scenario"
	"revopt/plots/answer"
	"revopt/simulate/ask"
	lab "revopt/simulate/run"
	"revopt/simulate/subject"

	"github.com/urfave/cli/v2"
)

func sweepFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		outFlag("`DIR` directory for the results (default FILE without its extension)"),
		workersFlag("replications"), explainFlag(), jsonFlag(), csvFlag("the points"), tableFlag(),
		stringFlag("html", "`FILE` write one self-contained page: answer and tables"),
		quietFlag("progress and no warnings"),
	}, engineFlags(), execFlags())
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

// The files of a sweep beside its journals.
const (
	tableFile      = "table.csv"
	customersFile  = "customers.csv"
	admissionsFile = "admissions.csv"
	boundsFile     = "bounds.csv"
	cellsFile      = "cells.csv"
	answerFile     = "answer.json"
	sourceFile     = "sweep.json"
)

// tableIn is a file with a table of the answer.
type tableIn struct{ name, table string }

// sweepFiles are the files of tables, in the order in which they are written.
func sweepFiles() []tableIn {
	return []tableIn{{customersFile, "customers"}, {admissionsFile, "admissions"}, {boundsFile, "bounds"},
		{tableFile, "points"}}
}

// swept is a sweep in a directory.
type swept struct {
	dir  string
	file string // of the sweep; "" if only the directory is known
	grid *lab.Grid

	opener *subject.Opener
}

// open returns the lab of a sweep.
func (s *swept) open(ctx context.Context, o lab.Options) (*lab.Lab, error) {
	o.Seed, o.Opener = s.grid.Sweep.Seed, s.opener
	return lab.NewLab(ctx, s.grid.Document, o)
}

// kept returns a lab that computes nothing, with the records of the directory.
func (s *swept) kept(ctx context.Context, o lab.StoreOptions) (*lab.Lab, error) {
	o.ReadOnly = true
	store, err := lab.OpenStore(s.dir, o)
	if err != nil {
		return nil, err
	}
	return s.open(ctx, lab.Options{Store: store, Kept: true})
}

// sweepSource is a sweep file as its directory keeps it.
type sweepSource struct {
	File         string `json:"file"`
	Text         string `json:"text"`
	ScenarioFile string `json:"scenario_file"`
	Scenario     string `json:"scenario"`
}

// writeSource keeps the sweep file and its scenario in the directory, for status and merge.
func (s *swept) writeSource(guard safefile.Guard) error {
	written, err := os.ReadFile(s.file)
	if err != nil {
		return err
	}
	doc := s.grid.Sweep.Scenario
	source := sweepSource{File: s.seen(s.file), Text: string(written), ScenarioFile: s.seen(doc.File()),
		Scenario: string(doc.Source())}
	if err := os.MkdirAll(s.dir, 0o777); err != nil {
		return err
	}
	return guard.Write(filepath.Join(s.dir, sourceFile), func(w io.Writer) error {
		return json.NewEncoder(w).Encode(source)
	})
}

// seen returns the path of a file from the directory of the sweep. The name of a built-in scenario is no file.
func (s *swept) seen(path string) string {
	dir, err := filepath.Abs(s.dir)
	if err != nil {
		return path
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	if _, err := os.Stat(path); err != nil {
		return path
	}
	from, err := filepath.Rel(dir, whole)
	if err != nil {
		return whole
	}
	return from
}

// found is the inverse of seen.
func (s *swept) found(path string) string {
	if from := filepath.Join(s.dir, path); !filepath.IsAbs(path) {
		if _, err := os.Stat(from); err == nil {
			return from
		}
	}
	return path
}

// sweepIn returns the sweep of a directory.
func (p *program) sweepIn(dir string) (*swept, error) {
	data, err := os.ReadFile(filepath.Join(dir, sourceFile))
	switch {
	case errors.Is(err, os.ErrNotExist) && cells.Started(dir):
		return nil, &lab.FormatError{Dir: dir}
	case errors.Is(err, os.ErrNotExist):
		return nil, fmt.Errorf("%s: holds no results of a sweep", dir)
	case err != nil:
		return nil, err
	}
	var source sweepSource
	if err := json.Unmarshal(data, &source); err != nil {
		return nil, usagef("%s: %s: expected a sweep as the program has written it", dir, sourceFile)
	}
	s := &swept{dir: dir}
	doc, err := scenario.Parse(s.found(source.ScenarioFile), []byte(source.Scenario))
	if err != nil {
		return nil, err
	}
	s.grid, err = lab.ParseGrid(s.found(source.File), []byte(source.Text), doc, p.specs)
	if err != nil {
		return nil, err
	}
	s.opener = &subject.Opener{Seed: s.grid.Sweep.Seed, Policies: p.specs}
	return s, nil
}

// sweepDirectory does what needs a directory only.
func (p *program) sweepDirectory(c *cli.Context) error {
	if err := exactly(c, "merge, status or cancel", "DIR"); err != nil {
		return err
	}
	verb, dir := c.Args().First(), c.Args().Get(1)
	if flag := firstSet(c, "out", "shard", "workers", "engine", "tasks", "sbatch-arg", "no-wait"); flag != "" {
		return usagef("sweep %s: unexpected flag --%s", verb, flag)
	}
	if verb == "cancel" {
		jobs, err := cells.CancelSlurm(c.Context, dir)
		if err != nil {
			return fmt.Errorf("sweep cancel: %w", err)
		}
		fmt.Fprintf(p.stdout, "%s: canceled Slurm job %s\n", text.OneLine(dir), strings.Join(jobs, ", "))
		return nil
	}
	s, err := p.sweepIn(dir)
	if err != nil {
		return fmt.Errorf("sweep %s: %w", verb, err)
	}
	made, err := cells.ThisBuild(build().Version)
	if err != nil {
		return err
	}
	kept, err := s.kept(c.Context, lab.StoreOptions{Build: made, AnyBuild: verb == "status"})
	if err != nil {
		return fmt.Errorf("sweep %s: %w", verb, err)
	}
	missing, err := s.grid.Missing(c.Context, kept)
	switch {
	case err != nil:
		return fmt.Errorf("sweep %s: %w", verb, err)
	case verb == "status":
		return p.tell(c, p.named(ask.SweepStatus(kept, s.grid, len(missing))))
	case len(missing) > 0:
		return fmt.Errorf("sweep merge: %s: only %d of %s are finished", dir, s.grid.Points()-len(missing),
			text.Plural(s.grid.Points(), "point"))
	}
	guard, err := p.sweepGuard(s)
	if err != nil {
		return err
	}
	return p.sweepAnswer(c, s, kept, guard)
}

// sweepGuard keeps the files of a sweep from replacing its inputs.
func (p *program) sweepGuard(s *swept) (safefile.Guard, error) {
	sc, err := s.grid.Document.Scenario(subject.Known(p.specs))
	if err != nil {
		return safefile.Guard{}, err
	}
	guard := safefile.Guard{Inside: true, Inputs: append(sc.Files(), s.file, s.grid.Document.File())}
	names := []string{tableFile, customersFile, admissionsFile, boundsFile, cellsFile, answerFile, sourceFile}
	return guard, checkInside("sweep", s.dir, names, guard.Inputs...)
}

// sweepRun runs a sweep file. Its answer is told when all is finished.
func (p *program) sweepRun(c *cli.Context) error {
	file := c.Args().First()
	s := &swept{dir: cmp.Or(c.String("out"), strings.TrimSuffix(file, filepath.Ext(file))), file: file}
	if s.dir == file {
		return usagef("sweep: expected -o DIR, as %s has no ending to leave out", file)
	}
	at, err := p.placed(c, s.dir)
	if err != nil {
		return err
	}
	if err := p.readSweep(c, s); err != nil {
		return err
	}
	guard, err := p.sweepGuard(s)
	if err != nil {
		return err
	}
	var l *lab.Lab
	if at.slurm != nil {
		l, err = p.sweepSlurm(c, s, at, guard)
	} else {
		l, err = p.sweepLocal(c, s, at, guard)
	}
	if l == nil || err != nil {
		return err
	}
	defer l.Store.Close()
	return p.sweepAnswer(c, s, l, guard)
}

// readSweep reads the file of a sweep.
func (p *program) readSweep(c *cli.Context, s *swept) (err error) {
	s.grid, err = await(c.Context, func() (*lab.Grid, error) { return lab.ReadGrid(s.file, p.filed(c)) })
	if err != nil {
		return err
	}
	s.opener = &subject.Opener{Seed: s.grid.Sweep.Seed, Workers: c.Int("workers"), Policies: p.filed(c)}
	return nil
}

// checkSweep opens the scenario and every point.
func (p *program) checkSweep(c *cli.Context, s *swept, o lab.Options) (*lab.Lab, error) {
	o.Policies = p.filed(c)
	l, err := s.open(c.Context, o)
	if err == nil {
		err = s.grid.Check(c.Context, l)
	}
	return l, s.named(err)
}

// named names the file of the sweep in an error of one of its points.
func (s *swept) named(err error) error {
	var bad *scenario.Error
	switch {
	case err == nil || errors.As(err, &bad) && strings.HasPrefix(bad.File, s.file+":"):
		return err
	case badInput(err):
		return usagef("%s: %s", s.file, err)
	}
	return fmt.Errorf("%s: %w", s.file, err)
}

// sweepLocal runs a sweep on this machine. The lab is nil if other shards are still missing, or no error is to be told.
func (p *program) sweepLocal(c *cli.Context, s *swept, at placement, guard safefile.Guard) (*lab.Lab, error) {
	show := meter.New(p.stderr, c.Bool("quiet"), true)
	l, err := p.checkSweep(c, s, lab.Options{Workers: c.Int("workers"), Shard: at.shard,
		Progress: func(done, total int) { show.Show("sweep", done, total) }})
	if err != nil { // before there is a directory
		return nil, err
	}
	store, err := lab.OpenStore(s.dir, lab.StoreOptions{Shard: at.shard, Build: at.build})
	if err != nil {
		return nil, err
	}
	l.Store = store
	if err := s.writeSource(guard); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	_, err = s.grid.Run(c.Context, l, s.grid.All()...)
	show.Clear()
	var wide *lab.ImpreciseError
	if err != nil && !errors.As(err, &wide) {
		return nil, errors.Join(p.sweepStopped(c, store, err), store.Close())
	}
	if at.shard.Whole() {
		return l, nil
	}
	if err := store.Close(); err != nil {
		return nil, err
	}
	return nil, p.sweepShard(c, s, at)
}

// sweepStopped says how much of an interrupted sweep is kept.
func (p *program) sweepStopped(c *cli.Context, store *lab.Store, err error) error {
	if !errors.Is(err, context.Canceled) {
		return fmt.Errorf("sweep: %s kept in %s: %w", text.Plural(store.Len(), "record"), p.kept, err)
	}
	return p.stoppedAfter(c, " after "+text.Plural(store.Len(), "record"), err)
}

// sweepShard prints how far the sweep is after a shard.
func (p *program) sweepShard(c *cli.Context, s *swept, at placement) error {
	kept, err := s.kept(c.Context, lab.StoreOptions{Build: at.build})
	if err != nil {
		return err
	}
	missing, err := s.grid.Missing(c.Context, kept)
	if err != nil {
		return err
	}
	points := s.grid.Points()
	return p.shardFinished(at, points-len(missing), text.Plural(points, "point"))
}

// sweepSlurm runs a sweep as array jobs. The lab is nil if it does not wait for them.
func (p *program) sweepSlurm(c *cli.Context, s *swept, at placement, guard safefile.Guard) (*lab.Lab, error) {
	var kept *lab.Lab
	look := func(ctx context.Context) (int, []lab.Case, error) {
		var err error
		kept, err = s.kept(ctx, lab.StoreOptions{Build: at.build})
		if err != nil {
			return 0, nil, err
		}
		missing, err := s.grid.Missing(ctx, kept)
		return kept.Store.Len(), missing, err
	}
	if _, err := p.checkSweep(c, s, lab.Options{}); err != nil {
		return nil, err
	}
	if err := s.writeSource(guard); err != nil {
		return nil, err
	}
	done, err := p.submit(c, at, s.grid.Points(), look)
	if !done {
		return nil, err
	}
	return kept, err
}

// named adds to an answer what made it.
func (p *program) named(a answer.Answer) answer.Answer {
	a.Version, a.Commit, a.Line = build().Version, build().Commit, commandLine(p.args)
	return a
}

// sweepAnswer writes the files of a complete sweep and tells its answer.
func (p *program) sweepAnswer(c *cli.Context, s *swept, l *lab.Lab, guard safefile.Guard) error {
	result, err := ask.Sweep(c.Context, l, s.grid, ask.Request{Version: build().Version, Commit: build().Commit})
	if err != nil {
		return err
	}
	// The files name no command: the same sweep gives the same bytes however it is run.
	write := func(name string, write func(io.Writer) error) func() error {
		return func() error { return guard.Write(filepath.Join(s.dir, name), write) }
	}
	files := []func() error{write(answerFile, result.Answer.WriteJSON), write(cellsFile, result.WriteCells)}
	for _, file := range sweepFiles() {
		if _, there := result.Answer.Table(file.table); there {
			files = append(files, write(file.name, func(w io.Writer) error { return result.Answer.WriteCSV(w, file.table) }))
		}
	}
	return p.tell(c, p.named(result.Answer), files...)
}

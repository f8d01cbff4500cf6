package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/internal/meter"
	"revopt/internal/safefile"
	"revopt/internal/text"
	"revopt/internal/workdir"
	"revopt/model/scenario"
	"revopt/simulate/ask"
	lab "revopt/simulate/run"
	"revopt/simulate/subject"
)

func sweepFlags() []cli.Flag {
	return slices.Concat([]cli.Flag{
		outFlag("`DIR` directory for the results (default FILE without its extension)"),
		workersFlag("replications"), quietFlag("progress and no warnings"),
	}, answerFlags("the points"), engineFlags(), execFlags(), styleFlags())
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
	if flag := firstSet(c, "out", "shard", "workers", "engine", "tasks", "sbatch-arg", "no-wait"); flag != "" {
		return usagef("sweep %s: unexpected flag --%s", verb, flag)
	}
	if verb == "cancel" {
		jobs, err := workdir.CancelSlurm(c.Context, dir)
		if err != nil {
			return fmt.Errorf("sweep cancel: %w", err)
		}
		fmt.Fprintf(p.stdout, "%s: canceled Slurm job %s\n", text.OneLine(dir), strings.Join(jobs, ", "))
		return nil
	}
	s, err := ask.OpenSweepDir(dir, p.specs)
	if err != nil {
		return fmt.Errorf("sweep %s: %w", verb, err)
	}
	made, err := workdir.ThisBuild(build().Version)
	if err != nil {
		return err
	}
	kept, err := s.Kept(c.Context, lab.StoreOptions{Build: made, AnyBuild: verb == "status"})
	if err != nil {
		return fmt.Errorf("sweep %s: %w", verb, err)
	}
	missing, err := s.Grid.Missing(c.Context, kept)
	switch {
	case err != nil:
		return fmt.Errorf("sweep %s: %w", verb, err)
	case verb == "status":
		return p.tell(c, p.sign(ask.SweepStatus(kept, s.Grid, len(missing))))
	case len(missing) > 0:
		return fmt.Errorf("sweep merge: %s: only %d of %s are finished", dir, s.Grid.Points()-len(missing),
			text.Plural(s.Grid.Points(), "point"))
	}
	guard, err := p.sweepGuard(s)
	if err != nil {
		return err
	}
	return p.sweepAnswer(c, s, kept, guard)
}

// sweepGuard keeps the files of a sweep from replacing its inputs.
func (p *program) sweepGuard(s *ask.SweepDir) (safefile.Guard, error) {
	sc, err := s.Grid.Document.Scenario(subject.Known(p.specs))
	if err != nil {
		return safefile.Guard{}, err
	}
	guard := safefile.Guard{Inside: true, Inputs: append(sc.Files(), s.File, s.Grid.Document.File())}
	return guard, checkInside("sweep", s.Dir, ask.SweepFiles(), guard.Inputs...)
}

// sweepRun runs a sweep file. Its answer is told when all is finished.
func (p *program) sweepRun(c *cli.Context) error {
	file := c.Args().First()
	s := &ask.SweepDir{Dir: cmp.Or(c.String("out"), strings.TrimSuffix(file, filepath.Ext(file))), File: file}
	if s.Dir == file {
		return usagef("sweep: expected -o DIR, as %s has no ending to leave out", file)
	}
	if _, err := parseStyle(c); err != nil {
		return err
	}
	at, err := p.placed(c, s.Dir)
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
func (p *program) readSweep(c *cli.Context, s *ask.SweepDir) (err error) {
	s.Grid, err = await(c.Context, func() (*lab.Grid, error) { return lab.ReadGrid(s.File, p.filed(c)) })
	if err != nil {
		return err
	}
	s.Opener = &subject.Opener{Seed: s.Grid.Sweep.Seed, Workers: c.Int("workers"), Policies: p.filed(c)}
	return nil
}

// checkSweep opens the scenario and every point.
func (p *program) checkSweep(c *cli.Context, s *ask.SweepDir, o lab.Options) (*lab.Lab, error) {
	o.Policies = p.filed(c)
	l, err := s.Lab(c.Context, o)
	if err == nil {
		err = s.Grid.Check(c.Context, l)
	}
	return l, blamed(s, err)
}

// blamed names the file of the sweep in an error of one of its points.
func blamed(s *ask.SweepDir, err error) error {
	var bad *scenario.Error
	switch {
	case err == nil || errors.As(err, &bad) && strings.HasPrefix(bad.File, s.File+":"):
		return err
	case badInput(err):
		return usagef("%s: %s", s.File, err)
	}
	return fmt.Errorf("%s: %w", s.File, err)
}

// sweepLocal runs a sweep on this machine. The lab is nil if other shards are still missing, or no error is to be told.
func (p *program) sweepLocal(c *cli.Context, s *ask.SweepDir, at placement, guard safefile.Guard) (*lab.Lab, error) {
	show := meter.New(p.stderr, c.Bool("quiet"), true)
	l, err := p.checkSweep(c, s, lab.Options{Workers: c.Int("workers"), Shard: at.shard,
		Progress: func(done, total int) { show.Show("sweep", done, total) }})
	if err != nil { // before there is a directory
		return nil, err
	}
	store, err := lab.OpenStore(s.Dir, lab.StoreOptions{Shard: at.shard, Build: at.build})
	if err != nil {
		return nil, err
	}
	l.Store = store
	if err := s.WriteSource(guard); err != nil {
		return nil, errors.Join(err, store.Close())
	}
	_, err = s.Grid.Run(c.Context, l, s.Grid.All()...)
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
func (p *program) sweepShard(c *cli.Context, s *ask.SweepDir, at placement) error {
	kept, err := s.Kept(c.Context, lab.StoreOptions{Build: at.build})
	if err != nil {
		return err
	}
	missing, err := s.Grid.Missing(c.Context, kept)
	if err != nil {
		return err
	}
	points := s.Grid.Points()
	return p.shardFinished(at, points-len(missing), points)
}

// sweepSlurm runs a sweep as array jobs. The lab is nil if it does not wait for them.
func (p *program) sweepSlurm(c *cli.Context, s *ask.SweepDir, at placement, guard safefile.Guard) (*lab.Lab, error) {
	var kept *lab.Lab
	look := func(ctx context.Context) (int, []lab.Case, error) {
		var err error
		kept, err = s.Kept(ctx, lab.StoreOptions{Build: at.build})
		if err != nil {
			return 0, nil, err
		}
		missing, err := s.Grid.Missing(ctx, kept)
		return kept.Store.Len(), missing, err
	}
	if _, err := p.checkSweep(c, s, lab.Options{}); err != nil {
		return nil, err
	}
	if err := s.WriteSource(guard); err != nil {
		return nil, err
	}
	done, err := p.submit(c, at, s.Grid.Points(), look)
	if !done {
		return nil, err
	}
	return kept, err
}

// sweepAnswer writes the files of a complete sweep and tells its answer.
func (p *program) sweepAnswer(c *cli.Context, s *ask.SweepDir, l *lab.Lab, guard safefile.Guard) error {
	result, err := ask.Sweep(c.Context, l, s.Grid, ask.Request{Version: build().Version, Commit: build().Commit})
	if err != nil {
		return err
	}
	draw := func() error {
		style, err := parseStyle(c)
		if err != nil {
			return err
		}
		a := result.Answer // without a command, as the other files
		return target{path: s.Dir, dir: true, style: style}.save(a.Made(), nil, pictures(a.Figures())...)
	}
	return p.tell(c, p.sign(result.Answer), append(s.Files(result, guard), draw)...)
}

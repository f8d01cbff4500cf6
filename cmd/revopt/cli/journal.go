package cli

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/urfave/cli/v2"
	"revopt/internal/cells"
	"revopt/internal/meter"
	"revopt/internal/text"
	"revopt/plots/wording"
	"revopt/simulate/experiment"
	"revopt/simulate/plan"
	"revopt/simulate/warn"
)

// journalFlags ask for a journal; what says what it keeps.
func journalFlags(what string) []cli.Flag {
	return []cli.Flag{
		under(resumeGroup, stringFlag("journal",
			"`DIR` save finished "+what+" in DIR; the same command resumes from there")),
	}
}

// engineFlags say on which machines cells run.
func engineFlags() []cli.Flag {
	return allUnder(resumeGroup,
		stringFlag("shard", "`I/N` run only this part of the cells, such as 3/8"),
		choiceFlag("engine", "local", "`E` local, or slurm: an array job of a Slurm cluster", "local", "slurm"),
		wholeFlag("tasks", 1, math.MaxInt, 8, "`N` tasks of the array job"),
		listFlag("sbatch-arg", "`ARG` argument for sbatch, such as --time=2:00:00; repeatable"),
		boolFlag("no-wait", "submit the array job and return at once"),
	)
}

// runner returns what runs the plans of a command, as the command line asks for it.
// The directory that keeps finished cells is that of --journal where none is given.
func (p *program) runner(c *cli.Context, dir string, progress experiment.Progress) (*plan.Runner, error) {
	r := &plan.Runner{Dir: dir, Version: build().Version,
		Workers: c.Int("workers"), Progress: progress}
	var err error
	if dir == "" {
		r.Dir = c.String("journal")
		if c.IsSet("shard") && !c.IsSet("journal") {
			return nil, usagef("--shard: expected --journal DIR with it")
		}
		if c.IsSet("journal") && r.Dir == "" {
			return nil, usagef("--journal: expected a directory")
		}
	}
	if c.IsSet("shard") {
		r.Shard, err = parsed("shard", c.String("shard"), cells.ParseShard)
		if err != nil {
			return nil, err
		}
	}
	if c.String("engine") == "slurm" {
		r.Slurm, err = p.slurm(c, r)
	} else if flag := firstSet(c, "tasks", "sbatch-arg", "no-wait"); flag != "" {
		return nil, usagef("--%s: expected --engine slurm with it", flag)
	}
	if r.Dir != "" {
		go cells.ThisBuild("") // the journal is named after it: it is ready when the scenario is read
	}
	p.kept = r.Dir
	return r, err
}

// slurm returns how array jobs run the command: each task runs it with a shard.
func (p *program) slurm(c *cli.Context, r *plan.Runner) (*plan.Slurm, error) {
	if flag := firstSet(c, "shard", "workers"); flag != "" {
		return nil, usagef("--%s: expected none with --engine slurm; give --tasks, or --sbatch-arg=--cpus-per-task=N",
			flag)
	}
	if r.Dir == "" {
		return nil, usagef("--engine slurm: expected --journal DIR with it, a directory that all nodes share")
	}
	if c.Args().First() == "-" {
		return nil, usagef("--engine slurm: expected a scenario file, tasks have no standard input")
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	r.Dir, err = filepath.Abs(r.Dir)
	if err != nil {
		return nil, err
	}
	s := &plan.Slurm{Command: append([]string{program}, taskArguments(c, r.Dir)...), Tasks: c.Int("tasks"),
		Args: c.StringSlice("sbatch-arg"), NoWait: c.Bool("no-wait")}
	if !c.Bool("quiet") {
		s.Log = func(line string) { fmt.Fprintln(p.stderr, line) }
	}
	return s, nil
}

// taskArguments returns the command line of a task: the command without flags that say where to run and
// what to print.
func taskArguments(c *cli.Context, dir string) []string {
	list := append(strings.Fields(commandName(c)), c.Args().Slice()...)
	left := []string{"engine", "tasks", "sbatch-arg", "no-wait", "workers", "journal", "quiet",
		"json", "csv", "cells", "schedule"}
	if c.Command.Name == "sweep" {
		left = append(left, "out")
	}
	for _, f := range c.Command.Flags {
		name := f.Names()[0]
		if !c.IsSet(name) || slices.Contains(left, name) {
			continue
		}
		if values := c.StringSlice(name); values != nil {
			for _, value := range values {
				list = append(list, "--"+name+"="+value)
			}
			continue
		}
		list = append(list, fmt.Sprintf("--%s=%v", name, c.Value(name)))
	}
	if c.Command.Name == "sweep" {
		return append(list, "--out="+dir)
	}
	return append(list, "--journal="+dir)
}

// ran runs a study with the runner that the command line asks for. Without a result to
// print it returns nil, and the error of the command. A result to print may have an error, too: it was
// interrupted, or policies have failed.
func ran[R any](p *program, c *cli.Context, runner **plan.Runner, run func(context.Context) (*R, error)) (*R, error) {
	show := meter.New(p.stderr, c.Bool("quiet"), false)
	r, err := p.runner(c, "", show.Show)
	if err != nil {
		return nil, err
	}
	*runner = r
	result, err := run(c.Context)
	show.Clear()
	if result == nil || !r.Shard.Whole() || err != nil && !errors.Is(err, context.Canceled) && !failed(err) {
		return nil, p.unfinished(c, r, p.stopped(c, nil, err))
	}
	return result, err
}

// failed reports whether policies were left out of a result because of the error.
func failed(err error) bool { return isA[*experiment.RunError](err) }

// unfinished prints how far the work is if only a part of it was run.
func (p *program) unfinished(c *cli.Context, r *plan.Runner, err error) error {
	var part *plan.UnfinishedError
	switch {
	case err == nil && !r.Shard.Whole(): // the last shard
		part = &plan.UnfinishedError{Finished: r.Finished(), Total: r.Finished()}
	case !errors.As(err, &part):
		return err
	}
	dir := text.OneLine(r.Dir)
	if part.Submitted {
		next := "the same command without --no-wait goes on"
		if c.Command.Name == "sweep" {
			next = "see revopt sweep status, then revopt sweep merge"
		}
		_, err = fmt.Fprintf(p.stdout, "%s: submitted; %s\n", dir, next)
		return err
	}
	least := ""
	if c.IsSet("precision") && err != nil {
		least = "at least "
	}
	_, err = fmt.Fprintf(p.stdout, "%s: shard %d/%d is finished, %s of %s%s so far\n", dir, r.Shard.Index,
		r.Shard.Of,
		text.Fixed(float64(part.Finished), 0), least, text.Plural(part.Total, "cell"))
	return err
}

// stopped says how much of an interrupted command is finished and where that is kept.
func (p *program) stopped(c *cli.Context, warnings []warn.Warning, err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	words := ""
	for _, pair := range wording.Marks(warnings) {
		if after, ok := strings.CutPrefix(pair.Value, "interrupted "); ok {
			words = " " + after
		}
	}
	return p.stoppedAfter(c, words, err)
}

// stoppedAfter is the error of a command that was interrupted; the words say what is finished, "" if nothing is.
func (p *program) stoppedAfter(c *cli.Context, words string, err error) error {
	if p.kept != "" {
		words += ", kept in " + p.kept + ": the same command goes on"
	}
	if words == "" {
		return fmt.Errorf("%s: %w", c.Command.Name, err)
	}
	return &stoppedError{c.Command.Name + ": stopped" + words}
}

// stoppedError is an interruption, with what is finished.
type stoppedError struct{ message string }

func (e *stoppedError) Error() string { return e.message }

func (e *stoppedError) Unwrap() error { return context.Canceled }

// otherBuilds names builds, nothing where they are this one alone.
func otherBuilds(list []plan.Build) (string, error) {
	if len(list) == 0 {
		return "", nil // reading the program to name it takes time
	}
	this, err := cells.ThisBuild(build().Version)
	if err != nil || len(list) == 1 && list[0].Sum == this.Sum {
		return "", err
	}
	return strings.Join(text.Each(list, plan.Build.String), ", "), nil
}

package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v2"

	"revopt/simulate/sweep"
)

// What --engine takes.
const (
	engineLocal = "local"
	engineSlurm = "slurm"
)

// sweepEngine reports whether the sweep is to run on Slurm.
func sweepEngine(c *cli.Context) (slurm bool, err error) {
	switch name := c.String("engine"); name {
	case engineLocal:
		for _, flag := range []string{"tasks", "sbatch-arg", "no-wait"} {
			if c.IsSet(flag) {
				return false, usagef("--%s: expected --engine slurm with it", flag)
			}
		}
		return false, nil
	case engineSlurm:
		for _, flag := range []string{"shard", "workers"} {
			if c.IsSet(flag) {
				return false, usagef("--%s: expected none with --engine slurm; give --tasks, or --sbatch-arg=--cpus-per-task=N", flag)
			}
		}
		if n := c.Int("tasks"); n < 1 {
			return false, usagef("--tasks: expected a whole number of at least 1, got %d", n)
		}
		return true, nil
	default:
		return false, usagef("--engine: expected local or slurm, got %q", name)
	}
}

// sweepSlurm runs the sweep on a Slurm cluster.
func (p *program) sweepSlurm(c *cli.Context, local *sweep.Local) error {
	s := &sweep.Slurm{Plan: local.Plan, Tasks: c.Int("tasks"), Args: c.StringSlice("sbatch-arg"), NoWait: c.Bool("no-wait"), MixBuilds: local.MixBuilds}
	if !c.Bool("quiet") {
		s.Log = func(line string) { fmt.Fprintln(p.stderr, line) }
	}
	var err1, err2, err3 error
	s.Program, err1 = os.Executable()
	s.File, err2 = filepath.Abs(c.Args().First())
	s.Dir, err3 = filepath.Abs(local.Dir)
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	results, err := s.Run(c.Context)
	var other *sweep.OtherSweepError
	switch {
	case errors.As(err, &other):
		return usagef("%s", err)
	case err != nil:
		return fmt.Errorf("sweep: %w", err)
	case !results.Complete():
		fmt.Fprintf(p.stdout, "%s: submitted; see revopt sweep status, then revopt sweep merge\n", oneLine(local.Dir))
		return nil
	}
	return p.sweepTable(local.Dir, results)
}

// sweepCancel cancels the jobs of a directory.
func (p *program) sweepCancel(ctx context.Context, dir string) error {
	jobs, err := sweep.CancelSlurm(ctx, dir)
	if err != nil {
		return fmt.Errorf("sweep cancel: %w", err)
	}
	_, err = fmt.Fprintf(p.stdout, "%s: canceled Slurm job %s\n", oneLine(dir), strings.Join(jobs, ", "))
	return err
}

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

	"revopt/internal/text"
	"revopt/internal/workdir"
	lab "revopt/simulate/run"
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

// placement is where the parts of some work run.
type placement struct {
	dir   string        // that keeps what is finished
	shard workdir.Shard // the zero value is all of it
	slurm *workdir.Slurm
	build workdir.Build // of this program
}

// placed reads where a sweep runs its work.
func (p *program) placed(c *cli.Context, dir string) (s placement, err error) {
	s.dir = dir
	if c.IsSet("shard") {
		s.shard, err = parsed("shard", c.String("shard"), workdir.ParseShard)
		if err != nil {
			return s, err
		}
	}
	if c.String("engine") == "slurm" {
		s.slurm, err = p.slurm(c, s.dir)
		if err != nil {
			return s, err
		}
	} else if flag := firstSet(c, "tasks", "sbatch-arg", "no-wait"); flag != "" {
		return s, usagef("--%s: expected --engine slurm with it", flag)
	}
	p.kept = s.dir
	s.build, err = workdir.ThisBuild(build().Version)
	return s, err
}

// slurm returns how array jobs run the command: each task runs it with a shard.
func (p *program) slurm(c *cli.Context, dir string) (*workdir.Slurm, error) {
	if flag := firstSet(c, "shard", "workers"); flag != "" {
		return nil, usagef("--%s: expected none with --engine slurm; give --tasks, or --sbatch-arg=--cpus-per-task=N",
			flag)
	}
	program, err := os.Executable()
	if err != nil {
		return nil, err
	}
	dir, err = filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	s := &workdir.Slurm{Name: "revopt-" + filepath.Base(dir), Dir: dir, Tasks: c.Int("tasks"),
		Command: append([]string{program}, taskArguments(c, dir)...), Args: c.StringSlice("sbatch-arg"),
		NoWait: c.Bool("no-wait")}
	if !c.Bool("quiet") {
		s.Log = func(line string) { fmt.Fprintln(p.stderr, line) }
	}
	return s, nil
}

// submit runs shards of so many points as array jobs, and reports whether all is finished. The function looks at what
// is: it returns the number of records and the points that lack some.
func (p *program) submit(c *cli.Context, s placement, points int,
	look func(context.Context) (int, []lab.Case, error)) (done bool, err error) {
	s.slurm.Tasks = max(1, min(s.slurm.Tasks, points))
	s.slurm.Missing = func(ctx context.Context) (int, []int, error) {
		finished, missing, err := look(ctx)
		shards := text.Each(missing, func(at lab.Case) int { return at.Shard(s.slurm.Tasks) })
		slices.Sort(shards)
		return finished, slices.Compact(shards), err
	}
	done, err = s.slurm.Run(c.Context)
	if done || err != nil {
		return done, err
	}
	_, err = fmt.Fprintf(p.stdout, "%s: submitted; see revopt sweep status, then revopt sweep merge\n", text.OneLine(s.dir))
	return false, err
}

// shardFinished prints how much is finished after a shard.
func (p *program) shardFinished(s placement, finished, points int) error {
	_, err := fmt.Fprintf(p.stdout, "%s: shard %d/%d is finished, %d of %s so far\n", text.OneLine(s.dir),
		s.shard.Index, s.shard.Of, finished, text.Plural(points, "point"))
	return err
}

// taskArguments returns the command line of a task: the command without flags that say where to run and
// what to print.
func taskArguments(c *cli.Context, dir string) []string {
	list := append(strings.Fields(commandName(c)), c.Args().Slice()...)
	left := []string{"engine", "tasks", "sbatch-arg", "no-wait", "workers", "quiet",
		"json", "csv", "table", "html", "explain", "out"}
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
	return append(list, "--out="+dir)
}

// failed reports whether policies were left out of a result because of the error.
func failed(err error) bool { return isA[*lab.RunError](err) }

// stopped is the error of a command that was interrupted, and says where what is finished is kept. Other errors stay.
func (p *program) stopped(c *cli.Context, err error) error {
	if !errors.Is(err, context.Canceled) {
		return err
	}
	return p.stoppedAfter(c, "", err)
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

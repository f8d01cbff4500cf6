package sweep

import (
	"context"
	"errors"
	"fmt"

	"revopt/internal/cells"
)

// The machinery under a sweep, which runs any other work that is cut into cells
// as well: see package cells for each.
type (
	Work            = cells.Work
	Engine          = cells.Engine
	Shard           = cells.Shard
	Build           = cells.Build
	OtherSweepError = cells.OtherWorkError
	OtherBuildError = cells.OtherBuildError
)

// ParseShard reads a shard such as 3/8.
func ParseShard(text string) (Shard, error) { return cells.ParseShard(text) }

// Started reports whether a directory holds journals, of whatever work.
func Started(dir string) bool { return cells.Started(dir) }

// CancelSlurm cancels the jobs that were submitted for a directory and returns
// them. Cells that their tasks have finished are kept.
func CancelSlurm(ctx context.Context, dir string) ([]string, error) {
	return cells.CancelSlurm(ctx, dir)
}

// Local runs a sweep, or a shard of it, on the cores of this machine and keeps
// finished cells in a directory. See Engine for its other fields.
type Local struct {
	Plan      *Plan
	Dir       string // "" keeps nothing
	Shard     Shard
	Workers   int                       // 0: one per processor
	Progress  func(finished, total int) // as that of Engine
	MixBuilds bool
	Version   string
}

// Run runs the cells that no journal of the directory has yet, the longest
// first, and appends each to the journal when it is finished. After an error,
// or when the context is canceled, finished cells are kept, and the next Run
// goes on from there. It returns all results there are, nil where the directory
// cannot be used.
//
// The results are the same at any number of workers and however often the work
// was interrupted.
func (l *Local) Run(ctx context.Context) (*Results, error) {
	e := Engine{Dir: l.Dir, Workers: l.Workers, Shard: l.Shard, Progress: l.Progress, MixBuilds: l.MixBuilds, Version: l.Version}
	return l.Plan.results(e.Results(ctx, l.Plan))
}

// Slurm runs a sweep as array jobs of a Slurm cluster. Each task runs a shard
// into the directory, which the cluster's nodes must share with this machine.
type Slurm struct {
	Plan      *Plan
	Program   string   // absolute path of revopt
	File      string   // absolute path of the sweep file
	Dir       string   // absolute path
	Tasks     int      // shards; at most as many as there are cells, or points where a precision is asked for
	Args      []string // more arguments for sbatch
	Attempts  int      // how often shards are submitted before giving up; 0 is 3
	NoWait    bool     // submit and leave
	MixBuilds bool     // as that of Local
	Log       func(line string)
}

// Run submits the shards that are not finished, waits for them, submits those
// that failed again, and returns the results.
func (s *Slurm) Run(ctx context.Context) (*Results, error) {
	command := []string{s.Program, "sweep", s.File, "-o", s.Dir}
	if s.MixBuilds {
		command = append(command, "--mix-versions")
	}
	c := cells.Slurm{
		Work: s.Plan, Name: "revopt-" + s.Plan.Spec.Hash(), Command: command, Dir: s.Dir, Tasks: s.Tasks,
		Args: s.Args, Attempts: s.Attempts, NoWait: s.NoWait, MixBuilds: s.MixBuilds, Log: s.Log,
	}
	return s.Plan.results(c.Run(ctx))
}

// Collect reads the journals of a directory, also while others are at work on
// it. Results of another build of the program are an *OtherBuildError.
func Collect(dir string) (*Plan, *Results, error) { return collect(dir, false) }

// CollectMixed is Collect for results of whatever builds; see Results.Builds.
func CollectMixed(dir string) (*Plan, *Results, error) { return collect(dir, true) }

func collect(dir string, mixBuilds bool) (*Plan, *Results, error) {
	name, err := cells.NameIn(dir)
	if err != nil {
		return nil, nil, err
	}
	spec, err := parseSpec([]byte(name))
	var plan *Plan
	if err == nil {
		plan, err = NewPlan(spec)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", dir, err)
	}
	results, err := plan.results(cells.Read(dir, plan, mixBuilds))
	if errors.Is(err, cells.ErrOtherWork) {
		err = fmt.Errorf("%s: holds journals of different sweeps", dir)
	}
	return plan, results, err
}

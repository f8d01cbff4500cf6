package plan

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strconv"

	"revopt/internal/cells"
	"revopt/simulate/run"
)

// The machinery that runs plans, or any other work that is cut into cells.
type (
	Work            = cells.Work            // many cells, each a pure function of its number
	Engine          = cells.Engine          // runs work on the cores of this machine
	Shard           = cells.Shard           // a part of some work
	Build           = cells.Build           // a build of the program
	OtherWorkError  = cells.OtherWorkError  // a directory holds the results of other work
	ForgedError     = cells.ForgedError     // a journal has a record that no run has written
	OtherBuildError = cells.OtherBuildError // a directory holds the results of another build
)

// Runner runs the plans of a study one after another. With a directory it keeps every finished cell, and a study
// that is run again goes on where it was, however it ended, with the same numbers to
// the bit. The first plan is kept in Dir itself, the next one in Dir/2, and so on. The
// zero value keeps nothing and uses all cores.
type Runner struct {
	Dir      string // "" keeps nothing
	Workers  int    // 0: one per processor
	Shard    Shard  // a part of each plan; the zero value is all of it
	Version  string // of the program, for people
	Progress run.Progress

	plans    int
	finished int // cells of the plans that are complete
}

// UnfinishedError is a plan of which a shard was run: other parts are still missing.
type UnfinishedError struct {
	Finished, Total int // cells; the total as far as it is known
}

func (e *UnfinishedError) Error() string {
	return fmt.Sprintf("%d of %d cells are finished", e.Finished, e.Total)
}

// Finished returns how many cells the plans have that are complete.
func (r *Runner) Finished() int { return r.finished }

// next returns the directory of the next plan. Dir may be a symbolic link, but as in the
// rest of it none is followed there.
func (r *Runner) next() (string, error) {
	r.plans++
	if r.Dir == "" || r.plans == 1 {
		return r.Dir, nil
	}
	dir := filepath.Join(r.Dir, strconv.Itoa(r.plans))
	if info, err := os.Lstat(dir); err == nil && !info.IsDir() {
		return "", fmt.Errorf("%s: is not a directory, or a symbolic link, which is not followed here: remove it", dir)
	}
	return dir, nil
}

// Run runs the cells of a plan that the directory does not have yet, the longest first.
// After an error, or when the context is canceled, it returns the samples there are,
// nil where the directory cannot be used. Where only a part of the plan was run, the
// error is an *UnfinishedError. A policy that fails ends the run, or is left out of a plan
// that is Partial, which ends if all fail.
//
// The samples are the same at any number of workers and however often the work was
// interrupted.
func (r *Runner) Run(ctx context.Context, x *Execution, what string) (*Samples, error) {
	dir, err := r.next()
	if err != nil {
		return nil, err
	}
	engine := Engine{Dir: dir, Workers: r.Workers, Shard: r.Shard, Version: r.Version}
	engine.Progress = func(done, total int) { r.Progress.Tell(what, done, total) }
	x.progress = r.Progress
	x.failed.on = x.Plan.Partial && r.Shard.Whole()
	all, err := engine.Results(ctx, x)
	if all == nil {
		return nil, err
	}
	samples := NewSamples(x, all, r.Version)
	if len(x.failed.rows) > 0 {
		samples.failed, samples.left = x.leaveOut(all)
	}
	if len(x.Plan.Rows) == 0 {
		return nil, samples.Failed()
	}
	if ctx.Err() != nil { // reports cancellation instead of the error of the run
		err = ctx.Err()
	}
	if err != nil {
		return samples, err
	}
	finished, total := samples.Progress()
	if !samples.Complete() {
		return nil, &UnfinishedError{r.finished + finished, r.finished + total}
	}
	r.finished += finished
	return samples, nil
}

// Cells runs work that is no plan, one cell after another.
func (r *Runner) Cells(ctx context.Context, w Work) (*cells.Results, error) {
	dir, err := r.next()
	if err != nil {
		return nil, err
	}
	engine := Engine{Dir: dir, Workers: 1, Version: r.Version}
	return engine.Results(ctx, w)
}

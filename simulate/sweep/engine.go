package sweep

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
)

// Local runs a sweep, or a shard of it, on the cores of this machine and keeps
// what is finished in a directory.
type Local struct {
	Plan     *Plan
	Dir      string // "" keeps nothing
	Shard    Shard
	Workers  int                       // 0: one per processor
	Progress func(finished, total int) // as that of Engine
}

// Run runs the cells that no journal of the directory has yet, the longest
// first, and appends each to the journal when it is finished. After an error,
// or when the context is cancelled, what is finished is kept, and the next Run
// goes on from there. It returns all results there are, nil where the directory
// cannot be used.
//
// The results are the same at any number of workers and however often the work
// was interrupted.
func (l *Local) Run(ctx context.Context) (*Results, error) {
	r := &run{Engine: Engine{l.Dir, l.Workers, l.Progress}, work: l.Plan, shard: l.Shard}
	err := r.start(ctx)
	if r.store == nil {
		return nil, err
	}
	return &Results{l.Plan, r.store}, err
}

// OtherSweepError is a directory that holds the results of other work.
type OtherSweepError struct{ Dir string }

func (e *OtherSweepError) Error() string {
	return e.Dir + ": holds the results of another sweep (or the sweep, its scenario or its trace has changed since, or the first line of a journal is damaged): give another directory"
}

// run is a shard of some work on its way.
type run struct {
	Engine
	work  Work
	shard Shard
	store *store // nil until the journals are read
}

// start reads what there is and runs the rest.
func (r *run) start(ctx context.Context) error {
	if r.Dir == "" {
		r.store = newStore(r.work)
		return r.all(ctx, nil)
	}
	held, err := lockDirectory(r.Dir, r.shard)
	if err != nil {
		return err
	}
	defer held.release()
	err = r.kept(ctx)
	if errors.Is(err, ErrOtherWork) {
		return &OtherSweepError{r.Dir}
	}
	return err
}

// kept runs with a journal in the directory, which is locked.
func (r *run) kept(ctx context.Context) error {
	s, path := newStore(r.work), filepath.Join(r.Dir, journalFile+r.shard.suffix())
	if err := s.read(r.Dir, path); err != nil {
		return err
	}
	if err := checkOwner(path, s.name); err != nil {
		return err
	}
	journal, err := OpenJournal(path, s.name, s.record)
	if err != nil {
		return err
	}
	r.store = s
	err = r.all(ctx, journal)
	closed := journal.Close()
	removed := errors.Is(closed, errRemoved)
	switch {
	case removed && err == nil && r.shard.whole():
		// All is in memory: nobody needs the journal any more.
	case removed:
		r.store = nil // nothing of it is kept
		return closed
	case err == nil:
		err = closed
	}
	if err == nil && !r.shard.whole() {
		// Others may have finished meanwhile: the last one sees all.
		err = s.read(r.Dir, path)
	}
	return err
}

// all runs stage after stage. The journal is nil where nothing is kept.
func (r *run) all(ctx context.Context, journal appender) error {
	w := &writer{store: r.store, journal: journal, progress: r.Progress}
	for {
		now := r.stage()
		w.count, w.total = now.finished, now.total
		w.tell()
		if len(now.cells) == 0 {
			return ctx.Err()
		}
		if err := r.cells(ctx, longestFirst(r.work, now.cells), w); err != nil {
			return err
		}
	}
}

// stage returns how far the shard is.
func (r *run) stage() stage {
	if s, ok := r.work.(staged); ok {
		return s.stage(r.shard, r.workers(), r.store.numbers)
	}
	var now stage
	for i, numbers := range r.store.numbers {
		if r.shard.has(i) {
			now.add(i, numbers, false)
		}
	}
	return now
}

// longestFirst sorts cells; those of equal cost stay in their order.
func longestFirst(w Work, cells []int) []int {
	type costly struct {
		cell int
		cost float64
	}
	list := make([]costly, len(cells))
	for k, i := range cells {
		list[k] = costly{i, w.Cost(i)}
	}
	slices.SortStableFunc(list, func(a, b costly) int { return cmp.Compare(b.cost, a.cost) })
	for k, c := range list {
		cells[k] = c.cell
	}
	return cells
}

// workers returns how many cells run at a time.
func (r *run) workers() int {
	if r.Workers > 0 {
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// cells shares cells out to workers. What they finish goes through one writer,
// so that none of them waits for the disk.
func (r *run) cells(parent context.Context, cells []int, w *writer) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	q := &queue{work: r.work, cells: cells, finished: make(chan finished, backlog)}
	var group sync.WaitGroup
	for range min(r.workers(), len(cells)) {
		group.Go(func() {
			if err := q.run(ctx); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		group.Wait()
		close(q.finished)
	}()
	w.write(q.finished, cancel)
	if cause := context.Cause(ctx); cause != context.Cause(parent) {
		return cause
	}
	return parent.Err()
}

// backlog is how many finished cells may wait for the writer.
const backlog = 1024

// finished is a cell with its numbers.
type finished struct {
	cell   int
	values []float64
}

// queue is the cells still to run.
type queue struct {
	work     Work
	cells    []int
	next     atomic.Int64
	finished chan finished
}

// run runs cells until there are none.
func (q *queue) run(ctx context.Context) error {
	for ctx.Err() == nil {
		k := int(q.next.Add(1)) - 1
		if k >= len(q.cells) {
			return nil
		}
		values, err := q.work.Run(ctx, q.cells[k])
		if err != nil {
			return fmt.Errorf("cell %d: %w", q.cells[k], err)
		}
		q.finished <- finished{q.cells[k], values}
	}
	return nil
}

package sweep

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
)

// Local runs a sweep, or a shard of it, on the cores of this machine and keeps
// what is finished in a directory.
type Local struct {
	Plan     *Plan
	Dir      string
	Shard    Shard
	Workers  int                       // 0: one per processor
	Progress func(finished, total int) // told before the first and after each cell; may be nil
}

// Run runs the cells that no journal of the directory has yet, the longest
// first, and appends each to the journal when it is finished. After an error,
// or when the context is cancelled, what is finished is kept, and the next Run
// goes on from there. It returns all results there are.
//
// The results are the same at any number of workers and however often the work
// was interrupted.
func (l *Local) Run(ctx context.Context) (*Results, error) {
	held, err := lockDirectory(l.Dir, l.Shard)
	if err != nil {
		return nil, err
	}
	defer held.release()
	work, path := l.Plan.Spec.work(), filepath.Join(l.Dir, journalFile+l.Shard.suffix())
	results := newResults(l.Plan)
	if err := results.read(l.Dir, path); err != nil {
		return nil, l.named(err)
	}
	if err := checkOwner(path, work); err != nil {
		return nil, l.named(err)
	}
	journal, err := OpenJournal(path, work, results.record)
	if err != nil {
		return nil, l.named(err)
	}
	err = l.runAll(ctx, results, journal)
	if closed := journal.Close(); err == nil {
		err = closed
	}
	if err == nil && !l.Shard.whole() {
		// Others may have finished meanwhile: the last one sees all.
		err = results.read(l.Dir, path)
	}
	return results, l.named(err)
}

// named says which directory holds another sweep.
func (l *Local) named(err error) error {
	if errors.Is(err, ErrOtherWork) {
		return &OtherSweepError{l.Dir}
	}
	return err
}

// OtherSweepError is a directory that holds the results of another sweep.
type OtherSweepError struct{ Dir string }

func (e *OtherSweepError) Error() string {
	return e.Dir + ": holds the results of another sweep (or the sweep, its scenario or its trace has changed since): give another directory"
}

// runAll shares the cells out to workers. What they finish goes through one
// writer, so that none of them waits for the disk.
func (l *Local) runAll(ctx context.Context, results *Results, journal appender) error {
	cells := l.Plan.longestFirst(l.Shard, results.done)
	workers := l.Workers
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	q := &queue{plan: l.Plan, cells: cells, finished: make(chan finished, backlog)}
	var group sync.WaitGroup
	for range min(workers, len(cells)) {
		group.Go(func() {
			if err := q.work(ctx); err != nil {
				cancel(err)
			}
		})
	}
	go func() {
		group.Wait()
		close(q.finished)
	}()
	w := &writer{results: results, journal: journal, progress: l.Progress, total: l.Shard.cells(l.Plan.Cells())}
	w.count = w.total - len(cells)
	w.write(q.finished, cancel)
	return context.Cause(ctx)
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
	plan     *Plan
	cells    []int
	next     atomic.Int64
	finished chan finished
}

// work runs cells until there are none. The scenario of the last one is kept:
// the next is often at the same point.
func (q *queue) work(ctx context.Context) error {
	var at *point
	for ctx.Err() == nil {
		k := int(q.next.Add(1)) - 1
		if k >= len(q.cells) {
			return nil
		}
		i := q.cells[k]
		c := q.plan.cell(i)
		if at == nil || at.index != c.point {
			var err error
			if at, err = q.plan.setup(c.point); err != nil {
				return err
			}
		}
		values, err := at.run(ctx, c)
		if err != nil {
			return fmt.Errorf("cell %d: %w", i, err)
		}
		q.finished <- finished{i, values}
	}
	return nil
}

// appender keeps records: a Journal.
type appender interface{ Append(record []byte) error }

// writer keeps what the workers finish.
type writer struct {
	results      *Results
	journal      appender
	progress     func(finished, total int)
	count, total int
	line         []byte
}

// write writes cells until there are none. After an error it calls cancel, and
// drops the rest.
func (w *writer) write(cells <-chan finished, cancel func(error)) {
	w.tell()
	failed := false
	for f := range cells {
		if failed {
			continue
		}
		w.line = appendRecord(w.line[:0], f.cell, f.values)
		if err := w.journal.Append(w.line); err != nil {
			failed = true
			cancel(fmt.Errorf("cannot write the journal, what it holds is kept: %w", err))
			continue
		}
		copy(w.results.cell(f.cell), f.values)
		w.results.mark(f.cell)
		w.count++
		w.tell()
	}
}

// tell reports progress.
func (w *writer) tell() {
	if w.progress != nil {
		w.progress(w.count, w.total)
	}
}

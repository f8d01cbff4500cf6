package cells

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"revopt/internal/text"
)

// Engine runs work, or a shard of it, on the cores of this machine.
type Engine struct {
	// Dir keeps the numbers of finished cells in a journal, from which the next Run goes on. It is made if
	// need be, and locked meanwhile. "" keeps nothing.
	Dir      string
	Workers  int                       // 0: one per processor
	Shard    Shard                     // the zero value is all of the work
	Progress func(finished, total int) // told before the first and after each cell; may be nil; calls do not overlap
	Version  string                    // of the program, for people; journals name it beside the build
}

// Run runs the cells that the directory does not have yet, the longest first,
// and returns the numbers of all cells. After an error, or when the context is
// canceled, finished cells are kept in the directory and returned: cells that
// are not finished have no numbers.
//
// A directory that holds the results of other work is an *OtherWorkError, of
// another build an *OtherBuildError, one at which another process is at work a
// *LockedError. A cell that panics is a *PanicError.
//
// The numbers are the same at any number of workers and however often the work
// was interrupted.
func (e Engine) Run(ctx context.Context, w Work) ([][]float64, error) {
	results, err := e.Results(ctx, w)
	if results == nil {
		return nil, err
	}
	return results.Numbers, err
}

// Results is Run with all that is known of the numbers. It returns nil where the
// directory cannot be used.
func (e Engine) Results(ctx context.Context, w Work) (*Results, error) {
	r := &run{Engine: e, work: w}
	err := r.start(ctx)
	return r.store, err
}

// OtherWorkError is a directory that holds the results of other work.
type OtherWorkError struct {
	Dir     string
	Differs []string // fields of the works that differ, if they are JSON
}

func (e *OtherWorkError) Error() string {
	text := e.Dir + ": holds the results of other work"
	if len(e.Differs) > 0 {
		text += ", which differs in " + strings.Join(e.Differs, ", ")
	}
	return text + ": give another directory"
}

// differences returns the names of the fields in which two JSON objects differ.
func differences(a, b string) (list []string) {
	var x, y map[string]json.RawMessage
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return nil
	}
	maps.DeleteFunc(x, func(key string, value json.RawMessage) bool {
		same := bytes.Equal(value, y[key])
		delete(y, key)
		return same
	})
	maps.Copy(x, y)
	return slices.Sorted(maps.Keys(x))
}

// PanicError is a cell that panicked: a fault of the program. Other cells are kept.
type PanicError struct {
	Cell  int
	Value any    // of the panic
	Stack []byte // of the goroutine
}

func (e *PanicError) Error() string {
	return fmt.Sprintf("cell %d: a fault of the program: %v", e.Cell, e.Value)
}

// run is a shard of some work on its way.
type run struct {
	Engine
	work  Work
	store *Results // nil until the journals are read
}

// start reads the numbers that there are and computes the others.
func (r *run) start(ctx context.Context) error {
	s := NewResults(r.work)
	if r.Dir == "" {
		r.store = s
		return r.all(ctx, nil)
	}
	build, err := ThisBuild(r.Version)
	if err != nil {
		return err
	}
	s.id.Build = build
	lock, err := lockDirectory(r.Dir, r.Shard)
	if err != nil {
		return err
	}
	defer lock.release()
	return r.kept(ctx, s)
}

// kept runs with a journal in the directory, which is locked.
func (r *run) kept(ctx context.Context, s *Results) error {
	path := filepath.Join(r.Dir, journalFile+r.Shard.suffix())
	if err := s.read(r.Dir, path); err != nil {
		return err
	}
	journal, err := OpenJournal(path, s.id, func(payload []byte) error { return s.record(r.Shard, payload) })
	if err != nil {
		return err
	}
	r.store = s
	err = r.all(ctx, journal)
	closed := journal.Close()
	removed := errors.Is(closed, errRemoved)
	switch {
	case removed && err == nil && r.Shard.Whole():
		// All is in memory: the journal is no longer needed.
	case removed:
		r.store = nil // nothing of it is kept
		return closed
	case err == nil:
		err = closed
	}
	if err == nil && !r.Shard.Whole() {
		// Others may have finished meanwhile: the last one sees all.
		err = s.read(r.Dir, path)
	}
	return err
}

// all runs the cells that are ready until there are none; journal may be nil.
func (r *run) all(ctx context.Context, journal appender) error {
	w := &writer{store: r.store, journal: journal, progress: r.Progress}
	for {
		now := ProgressOf(r.work, r.Shard, r.workers(), r.store.Numbers)
		w.count, w.total = now.Finished, now.Total
		w.tell()
		if len(now.Ready) == 0 {
			return ctx.Err()
		}
		if err := r.cells(ctx, longestFirst(r.work, now.Ready), w); err != nil {
			return err
		}
	}
}

// longestFirst sorts cells; those of equal cost stay in their order.
func longestFirst(w Work, cells []int) []int {
	type costly struct {
		cell int
		cost float64
	}
	list := text.Each(cells, func(i int) costly { return costly{i, w.Cost(i)} })
	slices.SortStableFunc(list, func(a, b costly) int { return cmp.Compare(b.cost, a.cost) })
	for k, c := range list {
		cells[k] = c.cell
	}
	return cells
}

func (r *run) workers() int {
	if r.Workers > 0 {
		return r.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// cells shares cells out to workers. One writer keeps the finished ones.
func (r *run) cells(parent context.Context, cells []int, w *writer) error {
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	q := &queue{work: r.work, cells: cells, finished: make(chan finished, min(backlog, len(cells)))}
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
		values, err := q.cell(ctx, q.cells[k])
		switch {
		case errors.Is(err, ErrLeftOut):
			continue
		case err != nil:
			return err
		}
		q.finished <- finished{q.cells[k], values}
	}
	return nil
}

func (q *queue) cell(ctx context.Context, cell int) (values []float64, err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{cell, value, debug.Stack()}
		}
	}()
	return q.work.Run(ctx, cell)
}

// appender keeps records: a Journal.
type appender interface {
	Append(records ...[]byte) error
}

// writer keeps the cells that the workers finish.
type writer struct {
	store        *Results
	journal      appender // nil keeps nothing
	progress     func(finished, total int)
	count, total int
	batch        []finished
	lines        [][]byte // records of the batch
}

// Cells that follow each other faster than this are written together: each by
// itself would cost a tiny cell more than its own work.
const together = time.Millisecond

// write writes cells until there are none. After an error it cancels and drops the rest.
func (w *writer) write(cells <-chan finished, cancel func(error)) {
	failed := false
	var last time.Time
	for f := range cells {
		if w.journal != nil && time.Since(last) < together {
			time.Sleep(together)
		}
		w.batch = append(w.batch[:0], f)
		for range len(cells) {
			w.batch = append(w.batch, <-cells)
		}
		if failed {
			continue
		}
		if err := w.keep(); err != nil {
			failed = true
			cancel(err)
		}
		last = time.Now()
	}
}

// keep puts the batch into the journal, then into memory.
func (w *writer) keep() error {
	for i, f := range w.batch {
		if err := w.store.check(f.cell, f.values); err != nil {
			return err
		}
		if i == len(w.lines) {
			w.lines = append(w.lines, nil)
		}
		if w.journal != nil {
			w.lines[i] = appendRecord(w.lines[i][:0], f.cell, f.values)
		}
	}
	if w.journal != nil {
		if err := w.journal.Append(w.lines[:len(w.batch)]...); errors.Is(err, errRemoved) {
			return err
		} else if err != nil {
			return fmt.Errorf("cannot write the journal, what it holds is kept: %w", err)
		}
	}
	for _, f := range w.batch {
		w.store.put(f.cell, f.values)
		w.count++
		w.tell()
	}
	return nil
}

func (w *writer) tell() {
	if w.progress != nil {
		w.progress(w.count, w.total)
	}
}

package sweep

import (
	"errors"
	"fmt"
	"time"
)

// appender keeps records: a Journal.
type appender interface {
	Append(records ...[]byte) error
}

// writer keeps what the workers finish.
type writer struct {
	store        *store
	journal      appender // nil keeps nothing
	progress     func(finished, total int)
	count, total int
	batch        []finished
	lines        [][]byte // records of the batch
}

// Cells that follow each other faster than this are written together: each by
// itself would cost a tiny cell more than its own work.
const together = time.Millisecond

// write writes cells until there are none. After an error it calls cancel, and
// drops the rest.
func (w *writer) write(cells <-chan finished, cancel func(error)) {
	failed := false
	var last time.Time
	for f := range cells {
		if w.journal != nil && time.Since(last) < together {
			time.Sleep(together)
		}
		w.collect(f, cells)
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

// collect makes a batch of a cell and those that wait behind it.
func (w *writer) collect(f finished, cells <-chan finished) {
	w.batch = append(w.batch[:0], f)
	for range len(cells) {
		w.batch = append(w.batch, <-cells)
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

// tell reports progress.
func (w *writer) tell() {
	if w.progress != nil {
		w.progress(w.count, w.total)
	}
}

package sweep

import (
	"errors"
	"fmt"
)

// appender keeps records: a Journal.
type appender interface{ Append(record []byte) error }

// writer keeps what the workers finish.
type writer struct {
	store        *store
	journal      appender // nil keeps nothing
	progress     func(finished, total int)
	count, total int
	line         []byte
}

// write writes cells until there are none. After an error it calls cancel, and
// drops the rest.
func (w *writer) write(cells <-chan finished, cancel func(error)) {
	failed := false
	for f := range cells {
		if failed {
			continue
		}
		if err := w.keep(f); err != nil {
			failed = true
			cancel(err)
			continue
		}
		w.count++
		w.tell()
	}
}

// keep puts a cell into the journal, then into memory.
func (w *writer) keep(f finished) error {
	if err := w.store.check(f.cell, f.values); err != nil {
		return err
	}
	if w.journal != nil {
		w.line = appendRecord(w.line[:0], f.cell, f.values)
		if err := w.journal.Append(w.line); err != nil {
			if errors.Is(err, errRemoved) {
				return err
			}
			return fmt.Errorf("cannot write the journal, what it holds is kept: %w", err)
		}
	}
	w.store.put(f.cell, f.values)
	return nil
}

// tell reports progress.
func (w *writer) tell() {
	if w.progress != nil {
		w.progress(w.count, w.total)
	}
}

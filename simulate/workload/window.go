package workload

import (
	"context"
	"fmt"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
)

// windows draws jobs in a row from a trace, so that replications differ as stretches of the trace do.
type windows struct {
	entries []entry // of the trace
	jobs    int     // of a window
}

// Windows returns the workload in which every replication has so many jobs in a row, from a place of the trace
// that is drawn. All places are equally likely. Customers and their ranks are those of the whole trace. A generated
// trace stays as it is: its replications have new jobs already. The error is a *Error if the trace is shorter.
func (w *Replay) Windows(ctx context.Context, jobs int) (*Replay, error) {
	t := w.trace
	if model.Generated(t.selection.File) {
		return w, nil
	}
	entries, err := t.all(ctx)
	if err != nil {
		return nil, err
	}
	if len(entries) < jobs {
		return nil, &Error{File: t.selection.File, Message: fmt.Sprintf("trace.window: expected at most the %s of %s, got %d",
			text.Plural(len(entries), "job"), t.selection.Subset, jobs)}
	}
	c := *w
	c.windows = &windows{entries, jobs}
	return &c, nil
}

// draw returns the jobs of a replication.
func (v *windows) draw(seed uint64, replication int) []entry {
	lots := simulate.Stream(seed, replication, "window", 0)
	first := lots.IntN(len(v.entries) - v.jobs + 1)
	return v.entries[first : first+v.jobs]
}

package workload

import (
	"context"
	"io"
	"maps"
	"slices"

	"revopt/internal/text"
	"revopt/model"
	"revopt/simulate"
)

// Limits returns the limits of what owners of jobs hold, for a run of a workload.
func Limits(w Workload) []simulate.Limit {
	if r, ok := w.(*Replay); ok {
		return r.limits
	}
	return nil
}

// WithLimits returns the workload under limits. Of pools that count different units, those that count as the pool
// with most work does are limited. The seed is that of the trace, if it is generated.
func (w *Replay) WithLimits(ctx context.Context, list []simulate.Limit, seed uint64) (*Replay, error) {
	c := *w
	c.limits = slices.Clone(list)
	if p := w.pools; p != nil {
		work := make([]float64, len(p.List))
		for i, s := range p.Sections {
			if s.Pool >= 0 {
				work[s.Pool] += w.sections[i].work
			}
		}
		unit := p.List[slices.Index(work, slices.Max(work))].Unit
		for i := range c.limits {
			c.limits[i].Apart = text.Each(p.List, func(p model.Pool) bool { return p.Unit != unit })
		}
	}
	return &c, c.countWider(ctx, seed)
}

// Wider returns how many jobs of the first replication each limit never lets start.
func (w *Replay) Wider() []int { return w.wider }

func (w *Replay) countWider(ctx context.Context, seed uint64) error {
	w.wider = make([]int, len(w.limits))
	if !slices.ContainsFunc(w.limits, func(l simulate.Limit) bool { return l.Never }) {
		return nil
	}
	source, err := w.Jobs(seed, 0)
	if err != nil {
		return err
	}
	defer source.(io.Closer).Close()
	var j simulate.Job
	for n := 0; ; n++ {
		if n&0xffff == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		ok, err := source.Next(&j)
		if !ok || err != nil {
			return err
		}
		for i, l := range w.limits {
			if l.Never && l.Units > 0 && j.Width > l.Units && l.Owns(&j) && !j.Void && !w.apart(&l, &j) {
				w.wider[i]++
			}
		}
	}
}

// apart reports whether the processors of a job do not count under a limit.
func (w *Replay) apart(l *simulate.Limit, j *simulate.Job) bool {
	if w.pools == nil {
		return false
	}
	pool := w.pools.Sections[j.Class].Pool
	return pool < 0 || l.Apart[pool]
}

// Party returns the number of a user, group, queue, partition or account of the trace.
func (w *Replay) Party(what string, p model.Party) (int32, error) {
	n, ok := p.Number, p.IsNumber
	names := w.trace.names[what]
	if !ok {
		n, ok = names[p.Name]
	}
	if n < 0 || n > MaxNodes || !ok {
		n = -1 // no record has it
	}
	if !ok {
		return -1, &SelectorError{
			File: w.trace.selection.File, What: what, Name: p.Name, Known: slices.Sorted(maps.Keys(names)),
		}
	}
	return int32(n), nil
}

package workload

import (
	"context"
	"math"

	"revopt/simulate"
)

// Logged is a job as the log recorded it. Times are in seconds since the first submission, NaN if they are not known.
type Logged struct {
	Number   int64 // in the log
	Submit   float64
	Eligible float64 // Submit unless the log says more
	Start    float64 // NaN of a job that never ran
	End      float64 // of a job that never ran the time at which it left
	Width    int     // units, by the rule for widths
	Busy     int     // units that it held, 0 if the log does not say

	simulate.Details     // its parties as numbers, see Trace.Names
	Customer         int // as in Listed
	Pool             int // -1: none takes it; 0 without pools

	After int     // place in the list of the job that it depends on, -1: none
	Think float64 // s after the end of that job
}

// Logged returns the jobs of a recorded trace in order of submission, whatever a simulation changes. Jobs that cleaning
// leaves out are there as well: some waited until they were canceled.
func (w *Replay) Logged(ctx context.Context, seed uint64) ([]Logged, error) {
	t := w.trace
	st, err := t.selection.Open(ctx, seed, 0)
	if err != nil {
		return nil, err
	}
	defer st.Close()
	var list []Logged
	var left, out owned
	count, every := t.selection.cleaning(), t.selection.cleaning()
	every.Rule = Keep
	at := map[float64]int{} // in the list of the job with a number, the latest so far
	err = each(ctx, st, func(r *Record) error {
		var e entry
		to := &left
		if !count.apply(r, t.nodes, &e) {
			to = &out
			every.apply(r, t.nodes, &e)
		}
		l := e.logged(e.submit - t.first)
		l.Number = int64(r[JobNumber])
		// A cleaning knows only the jobs that it leaves. In the log others wait, and are waited for, until they are canceled.
		if before, ok := at[r[Preceding]]; ok && r[Preceding] > 0 && count.chain != nil {
			l.After, l.Think = before, max(r[ThinkTime], 0)
		}
		at[r[JobNumber]] = len(list)
		to.add(len(list), &e)
		list = append(list, l)
		return nil
	})
	if err != nil {
		return nil, err
	}
	plain := *w
	plain.weeks, plain.windows, plain.whole = nil, nil, nil
	for _, part := range []owned{left, out} { // apart, as lots are drawn for the jobs that are left
		sections, _, err := plain.Own(part.jobs, seed)
		if err != nil {
			return nil, err
		}
		for i, place := range part.places {
			l := &list[place]
			l.Details, l.Customer, l.Pool = part.jobs[i].Spec.Details, sections[i].Customer, sections[i].Pool
			if w.pools == nil {
				l.Pool = 0
			}
		}
	}
	return list, nil
}

// owned is some jobs of a list, to be given to customers and pools.
type owned struct {
	jobs   []simulate.Job
	places []int
}

func (o *owned) add(place int, e *entry) {
	o.places = append(o.places, place)
	o.jobs = append(o.jobs, simulate.Job{Submit: e.submit, Work: e.runtime, Width: int(e.width),
		Spec: simulate.Spec{Details: simulate.Details{
			Estimate: e.estimate, User: int(e.user), Group: int(e.group), Queue: int(e.queue), Partition: int(e.partition),
			Account: int(e.account),
		}}})
}

// logged returns what an entry tells of its job.
func (e *entry) logged(submit float64) Logged {
	l := Logged{
		Submit: submit, Eligible: submit + e.hold, Start: math.NaN(), End: math.NaN(),
		Width: int(e.width), Busy: int(e.busy), After: -1,
	}
	switch at := submit + e.wait; {
	case e.wait < 0:
	case e.ran:
		l.Start, l.End = at, at+e.runtime
	default:
		l.End = at
	}
	return l
}

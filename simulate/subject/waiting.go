package subject

import (
	"cmp"
	"context"
	"math"
	"strconv"

	"revopt/simulate/waits"
	"revopt/simulate/workload"
)

// Waiting is the log of a subject, for the question where its waiting comes from. Time starts at the first submission.
type Waiting struct {
	waits.Log
	Customers []int // of the jobs of the log, as Subject.Names has them
}

// Waiting returns the log of a subject with the outages and the limits that the scenario states. The error is a *workload.Error if there
// is no log with start times.
func (s *Subject) Waiting(ctx context.Context) (*Waiting, error) {
	r, ok := s.Workload.(*workload.Replay)
	if !ok || !s.Logged() || !r.Has().Recorded {
		return nil, s.Misfit("expected a log with start times: where waiting came from is read from them")
	}
	list, err := r.Logged(ctx, s.Seed)
	if err != nil {
		return nil, err
	}
	w := &Waiting{}
	if s.Scenario.Pools == nil {
		w.Pools = []waits.Pool{{Units: s.Nodes(), Unit: s.Unit()}}
	}
	for _, p := range s.Scenario.Pools {
		w.Pools = append(w.Pools, waits.Pool{Name: p.Name, Units: p.Units, Unit: p.Unit})
	}
	name := s.namer()
	places := make([]int, len(list)) // in the log of each job of the list, -1: it is left out
	for i := range list {
		l := &list[i]
		places[i] = -1
		if l.Pool < 0 || math.IsNaN(l.End) { // it is not known where or how long it waited
			continue
		}
		places[i] = len(w.Jobs)
		j := waited(l, name)
		if l.After >= 0 {
			j.After = places[l.After]
		}
		w.Jobs = append(w.Jobs, j)
		w.Customers = append(w.Customers, l.Customer)
	}
	return w, s.stated(w)
}

// waited returns a job of a log. It holds the units that the log says, else those that it asks for.
func waited(l *workload.Logged, name func(kind string, number int) string) waits.Job {
	j := waits.Job{
		ID: l.Number, Submit: l.Submit, Eligible: l.Eligible, Start: l.Start, End: l.End, Width: cmp.Or(l.Busy, l.Width),
		Pool: l.Pool, After: -1, Think: l.Think, Account: name("account", l.Account), User: name("user", l.User),
		Group: name("group", l.Group), Queue: name("queue", l.Queue),
	}
	j.QOS = j.Queue
	return j
}

// namer returns the names of the parties of the trace. One without a name has its number.
func (s *Subject) namer() func(kind string, number int) string {
	names := s.Trace.Names()
	return func(kind string, number int) string {
		if number <= 0 || kind == "account" && names[kind] == nil {
			return ""
		}
		return cmp.Or(names[kind][int32(number)], strconv.Itoa(number))
	}
}

// stated adds what the scenario says of the machine.
func (s *Subject) stated(w *Waiting) error {
	name := s.namer()
	for _, l := range s.Scenario.Limits {
		limit := waits.Limit{Of: l.Owner, Name: l.Name(), Units: l.Units, Jobs: l.Jobs, Never: l.Never, Stated: true}
		if p := l.Of[0]; p.IsNumber {
			limit.Name = name(limitOf[l.Owner].names, p.Number)
		}
		w.Limits = append(w.Limits, limit)
	}
	if s.Scenario.Down == nil {
		return nil
	}
	down, err := s.down(1)
	for p, list := range down {
		for _, o := range list {
			w.Outages = append(w.Outages, waits.Outage{Pool: p, From: o.From, To: o.To, Units: o.Units, Stated: true})
		}
	}
	return err
}

// Find adds the outages and the limits that the log shows.
func (w *Waiting) Find() {
	w.Outages = append(w.Outages, w.FindOutages()...)
	w.Limits = append(w.Limits, w.FindLimits()...)
}

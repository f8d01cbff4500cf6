package workload

import (
	"revopt/model"
	"revopt/simulate"
)

// downtime is the outages of the machine by site; nil if there are none.
type downtime [][]simulate.Outage

func (d downtime) on(sites []Site) []Site {
	for i := range d {
		sites[i].Down = d[i]
	}
	return sites
}

// part returns the outages of some sites as those of one machine.
func (d downtime) part(in []bool) downtime {
	if d == nil {
		return nil
	}
	list := make(downtime, 1)
	for i, own := range d {
		if in[i] {
			list[0] = append(list[0], own...)
		}
	}
	return list
}

// WithDown returns the workload on a machine with outages, by site.
func (w *Classes) WithDown(list [][]simulate.Outage) *Classes {
	c := *w
	c.down = list
	return &c
}

// WithDown returns the workload on a machine with outages, by site.
func (w *Replay) WithDown(list [][]simulate.Outage) *Replay {
	c := *w
	c.down = list
	return &c
}

// Date returns the local time of the first submission, as a Unix time in a zone of 0, and
// that zone, both in seconds; ok is false if the header of the trace has no date.
func (t *Trace) Date() (local float64, zone int, ok bool) { return t.date, t.zone, t.date != 0 }

// Offset returns the Unix time of time 0 of replications, the first submission; 0 if the jobs
// have no dates or are drawn.
func (w *Replay) Offset() float64 {
	local, zone, ok := w.trace.Date()
	if !ok || w.weeks != nil || w.windows != nil || model.Generated(w.trace.selection.File) {
		return 0
	}
	return local - float64(zone)
}

// Span returns the time from the first submission to the last, s.
func (t *Trace) Span() float64 { return t.span }

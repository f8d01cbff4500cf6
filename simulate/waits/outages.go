package waits

import (
	"math"
	"slices"
)

// The rules by which outages are found.
const (
	outageSpan    = 3600.0 // s between two starts at least
	outageIdle    = 1800.0 // s of it in which the pool is idle at least
	outageUse     = 0.02   // share of the units that an idle pool uses at most
	outageJobs    = 3      // that wait meanwhile, eligible and fitting, at least
	outageRelease = 600.0  // s after the end
	outageStarted = 0.8    // share of these jobs that have started by then, or no longer fit
)

// FindOutages returns the spans in which a pool was down by the look of it, apart from those in which the log has an outage:
// spans of at least an hour between two starts in which, for at least half an hour, at most 2 % of the units are in use
// while at least three eligible jobs that fit wait. Ten minutes after the span, four fifths of the jobs that waited and
// fitted just before its end have started, no longer fit, or are behind a reservation: the oldest job of their queue does
// not fit. The whole span counts, as the machine is emptied before. Time before [Log.KnownFrom] shows nothing.
//
// Jobs that became eligible in the same ten minutes and start in the same ten minutes show nothing either: a user may
// have held them. So those that start became eligible over more than ten minutes.
func (l *Log) FindOutages() []Outage {
	spans := make([]span, len(l.Pools))
	for p := range spans {
		spans[p].from = math.Inf(-1)
	}
	var list []Outage
	s := newSweep(&Log{Jobs: l.Jobs, Pools: l.Pools}, nil, &Decomposition{Jobs: make([]Seconds, len(l.Jobs))})
	s.passed = func(p int, seconds float64) {
		if s.pools[p].idle() {
			spans[p].idle += seconds
		}
	}
	s.started = func(p int, at float64) {
		if o := spans[p]; o.idle >= outageIdle && at-o.from >= outageSpan && l.released(p, at) && !l.down(p, o.from, at) {
			list = append(list, Outage{Pool: p, From: o.from, To: at})
		}
		spans[p] = span{from: at}
	}
	s.run()
	return list
}

// span is the time since a start.
type span struct{ from, idle float64 }

// idle reports whether the pool is hardly in use though jobs wait.
func (p *pool) idle() bool {
	if float64(p.used) > outageUse*float64(p.units) {
		return false
	}
	jobs := 0
	for _, k := range p.waiting {
		if k.width <= p.units-p.used {
			jobs += len(k.waiting.Items)
		}
	}
	return jobs >= outageJobs
}

// released reports whether the jobs that wait before a time have started soon after it, no longer fit, or are behind a
// reservation.
func (l *Log) released(p int, at float64) bool {
	before, after := l.Pools[p].Units, l.Pools[p].Units
	for i := range l.Jobs {
		j := &l.Jobs[i]
		if j.Pool == p && j.Start < at && at <= j.End {
			before -= j.Width
		}
		if j.Pool == p && j.Start <= at+outageRelease && at+outageRelease < j.End {
			after -= j.Width
		}
	}
	oldest := map[string]*Job{} // by queue, of the jobs that wait then
	for i := range l.Jobs {
		j := &l.Jobs[i]
		if j.Pool == p && j.leaves() > at+outageRelease && l.eligible(i) <= at+outageRelease {
			if old := oldest[j.Queue]; old == nil || j.Submit < old.Submit {
				oldest[j.Queue] = j
			}
		}
	}
	waited, gone := 0, 0
	first, last := math.Inf(1), math.Inf(-1) // eligible, of those that start
	for i := range l.Jobs {
		j := &l.Jobs[i]
		if j.Pool == p && j.leaves() >= at && j.Width <= before && l.eligible(i) < at {
			waited++
			if j.Start <= at+outageRelease {
				first, last = min(first, l.eligible(i)), max(last, l.eligible(i))
			}
			old := oldest[j.Queue]
			if j.Start <= at+outageRelease || j.Width > after || old != nil && old.Width > after {
				gone++
			}
		}
	}
	return float64(gone) >= outageStarted*float64(waited) && last-first > outageRelease
}

// down reports whether the log has an outage of a pool at some time of a span.
func (l *Log) down(p int, from, to float64) bool {
	return slices.ContainsFunc(l.Outages, func(o Outage) bool { return o.Pool == p && o.From < to && from < o.To })
}

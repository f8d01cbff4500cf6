package workload

import (
	"context"
	"maps"
	"slices"

	"revopt/model"
	"revopt/simulate"
)

// A pilot of a generated trace tells its mean work and rate, to 1 %. Its jobs are those of a seed of its own, so that the
// factor of a load is a number of the scenario. The replications of pilotSeed have the mean work of both generators.
const (
	pilotSeed  = 3437
	pilotWorks = 26      // replications of generatedJobs jobs, which tell the work
	pilotJobs  = 1 << 18 // jobs in replications as long as those of the trace, which tell the rate
)

// pilot calls yield for the jobs of a replication of the pilot that cleaning leaves.
func (t *Trace) pilot(part model.Subset, replication int, yield func(e *entry)) {
	s := t.selection
	s.Subset = part
	stream, err := s.Open(context.Background(), pilotSeed, replication)
	if err != nil {
		panic("workload: " + err.Error()) // a generator reads no file
	}
	f := feed{stream: stream, cleaning: &Cleaning{Rule: t.cleaning.Rule, width: s.Width}}
	for e := (entry{}); ; {
		if ok, _ := f.next(&e); !ok {
			return
		}
		yield(&e)
	}
}

// works calls yield for the jobs that tell the work.
func (t *Trace) works(yield func(e *entry)) {
	for i := range pilotWorks {
		t.pilot(model.Subset{First: generatedJobs}, i, yield)
	}
}

// rate returns how many jobs a replication has on average, and the mean of that number over its span, per second.
// Replications without a span do not count.
func (t *Trace) rate() (jobs, perSecond float64) {
	n := generatedOf(t.selection.Subset)
	replications, spans := max(pilotJobs/n, 1), 0.0
	for i := range int(replications) {
		var first, last, count float64
		t.pilot(t.selection.Subset, i, func(e *entry) {
			if count == 0 {
				first = e.submit
			}
			last = e.submit
			count++
		})
		jobs += count / float64(replications)
		if last > first {
			perSecond += count / (last - first)
			spans++
		}
	}
	return jobs, perSecond / spans
}

// expect replaces the work and the span of the first replication of a generated trace by means over
// all replications: work / (nodes span) is then the mean load, whatever the seed is.
func (t *Trace) expect() {
	t.work, t.span = 0, 0
	clear(t.wide)
	left := 0.0
	t.works(func(e *entry) {
		left++
		if !e.void {
			t.wide[int(e.width)] += e.runtime * float64(e.width)
		}
	})
	jobs, rate := t.rate()
	if rate > 0 {
		t.span = jobs / rate
	}
	t.weight = jobs / left
	for _, width := range slices.Sorted(maps.Keys(t.wide)) {
		t.wide[width] *= t.weight
		if width <= t.nodes {
			t.work += t.wide[width]
		}
	}
}

// expect replaces the work of the customers or sections in the first replication by that of a mean
// replication of a generated trace.
func (w *Replay) expect() {
	for i := range w.sections {
		w.sections[i].work = 0
		w.sections[i].came = 0
	}
	pass := replay{w: w}
	w.trace.works(func(e *entry) {
		j := simulate.Job{Work: e.runtime, Width: int(e.width), Void: e.void}
		pool := pass.pool(&j, e)
		w.owners(e, func(owner int, share float64) {
			j.Class = w.pools.section(owner, pool)
			if j.Void || !w.fits(&j) {
				return
			}
			s, work := &w.sections[j.Class], w.trace.weight*share*j.Work*float64(j.Width)
			s.work += work
			s.came += w.share(j.Class) * work
		})
	})
}

// owners calls yield for the customers that a job may belong to, with their probabilities.
func (w *Replay) owners(e *entry, yield func(owner int, share float64)) {
	if q := w.options.QoS; q != nil {
		yield(model.LowUrgency, 1-q.HighUrgency)
		yield(model.HighUrgency, q.HighUrgency)
		return
	}
	left := 1.0
	for i, s := range w.selected {
		if !s.takes(e, 0) {
			continue
		}
		share := 1.0
		if s.Selector != nil {
			share = min(1, s.Share)
		}
		yield(i, left*share)
		left -= left * share
	}
	if left > 0 {
		yield(len(Listed(w))-1, left)
	}
}

package workload

import (
	"cmp"
	"math"
	"math/rand/v2"

	"gonum.org/v1/gonum/stat"

	"revopt/model"
	"revopt/simulate"
)

// law is the distribution that a generator draws jobs from. A job is independent of the
// others and of the times of arrival.
type law struct {
	gap  func(r *rand.Rand) float64 // s to the next arrival, before the cycles of day and week stretch it
	mean float64                    // of the gap, s

	// jobs calls yield for a table of records, with the probability of each. A record stands for a small
	// part of the distribution and has the mean run time of that part, so that the mean work of the table
	// is that of the generator. Times of submission are left out.
	jobs func(yield func(chance float64, r *Record))
}

// lawOf returns the law of a generator by its name.
func lawOf(file string) law {
	if file == model.AILike {
		return law{aiGap, aiMeanGap, aiTable}
	}
	return law{sp2Gap, sp2MeanGap, sp2Table}
}

// The mean rate of arrivals is computed from lawDraws gaps, in replications of at most lawJobs jobs. It is
// then known to 0.5 % from 20 jobs on.
const (
	lawDraws = 1 << 16
	lawJobs  = 1 << 13
)

// rate returns the mean number of jobs that a replication has, and the mean of this number over the span
// of arrivals, per second. A replication has n jobs, of which each is left with some probability, and only
// those of a window of submissions count. Replications without a span do not count. The random numbers are
// those of the law, not of a seed, so that the rate is a number of the scenario.
//
// Most of what a span varies is what the sum of the gaps varies, whose mean n E[gap] is known: the rate is that of
// the regression line on the sum at its mean. Of many jobs, whole weeks are left out and added as they are on average.
func (l law) rate(n int64, left float64, window Subset) (jobs, perSecond float64) {
	week, perWeek := sp2Week()
	weeks := 0.0
	if n > lawJobs && window.To == 0 {
		weeks = math.Ceil(float64(n-lawJobs) * l.mean / perWeek)
		n -= int64(math.Round(weeks * perWeek / l.mean))
	}
	until := cmp.Or(window.To, math.Inf(1))
	replications := int(lawDraws / n)
	var sums, rates []float64
	for i := range replications {
		r := simulate.Stream(0, i, "mean load", 0)
		hour, room := 0, week[0] // hours of the week that have passed, and what is left of the intensity of this one
		sum, count, first, last := 0.0, 0.0, 0.0, 0.0
		for range n {
			gap := l.gap(r)
			sum += gap
			for gap >= room {
				gap -= room
				hour++
				room = week[hour%len(week)]
			}
			room -= gap
			if r.Float64() >= left {
				continue
			}
			at := math.Floor(3600 * (float64(hour+1) - room/week[hour%len(week)]))
			if at < window.From || at >= until {
				continue
			}
			if count == 0 {
				first = at
			}
			count++
			last = at
		}
		count += weeks * perWeek / l.mean * left
		jobs += count / float64(replications)
		if span := last - first + weeks*secondsOfWeek; span > 0 {
			sums = append(sums, sum)
			rates = append(rates, count/span)
		}
	}
	if len(rates) < 2 {
		return jobs, math.NaN()
	}
	at, slope := stat.LinearRegression(sums, rates, nil, false)
	return jobs, at + slope*float64(n)*l.mean
}

// sp2Week returns the intensities of arrivals in the hours of a week, in seconds per hour, and their sum.
func sp2Week() (hours [7 * 24]float64, sum float64) {
	for i := range hours {
		hours[i] = 3600 * sp2().hours[i%24] * sp2().days[i/24]
		sum += hours[i]
	}
	return hours, sum
}

// expect replaces the work and the span of the first replication of a generated trace by means over all
// replications: work / (nodes span) is then the mean load, whatever the seed is.
func (t *Trace) expect() {
	left := 0.0
	t.work = 0
	clear(t.wide)
	t.typical(func(chance float64, e *entry) {
		left += chance
		if e.void {
			return
		}
		work := chance * e.runtime * float64(e.width)
		t.wide[int(e.width)] += work
		if int(e.width) <= t.nodes {
			t.work += work
		}
	})
	s := t.selection
	jobs, rate := lawOf(s.File).rate(generatedOf(s.Subset), left, s.Subset)
	t.span = 0
	if rate > 0 {
		t.span = jobs / rate
	}
	t.generated = jobs / left
	t.work *= t.generated
	for width := range t.wide {
		t.wide[width] *= t.generated
	}
}

// typical calls yield for the jobs that a generated trace may have after cleaning, with the probability of
// each before cleaning.
func (t *Trace) typical(yield func(chance float64, e *entry)) {
	c := Cleaning{Rule: t.cleaning.Rule, width: t.selection.Width}
	lawOf(t.selection.File).jobs(func(chance float64, r *Record) {
		var e entry
		if c.apply(r, t.nodes, &e) {
			yield(chance, &e)
		}
	})
}

// expect replaces the work of the customers or sections in the first replication by that of a mean
// replication of a generated trace.
func (w *Replay) expect() {
	for i := range w.sections {
		w.sections[i].work = 0
		w.sections[i].came = 0
	}
	pass := replay{w: w}
	w.trace.typical(func(chance float64, e *entry) {
		j := simulate.Job{Work: e.runtime, Width: int(e.width), Void: e.void}
		pool := pass.pool(&j, e)
		w.owners(e, func(owner int, share float64) {
			j.Class = w.pools.section(owner, pool)
			if j.Void || !w.fits(&j) {
				return
			}
			s, work := &w.sections[j.Class], w.trace.generated*chance*share*j.Work*float64(j.Width)
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

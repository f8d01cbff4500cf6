package ask

import (
	"cmp"
	"maps"
	"math"
	"slices"

	"revopt/simulate/slurm/steer"
)

// jobRun is when a job ran, Unix seconds; +Inf: it has not started, or not ended.
type jobRun struct{ Start, End float64 }

// ran is a job of a journal, with its run.
type ran struct {
	steer.Seen
	jobRun
}

// jobsOf returns the jobs of a journal that have a width and a time of submission, by that time and their numbers. The start
// and the end of a job that has none are +Inf. A run of the log is preferred to what the passes saw. A job ends between the
// last pass that lists it and the next one: half a pass after the last is the best guess.
func jobsOf(records []steer.Record, log map[int64]jobRun) (list []ran) {
	seen := map[int64]steer.Seen{}
	started, gone := map[int64]float64{}, map[int64]float64{}
	half := 0.0
	for _, r := range records {
		if r.Start != nil {
			half = r.Start.Settings.Every / 2
		}
		for _, s := range r.Seen {
			if _, again := seen[s.Job]; !again && s.Width > 0 && s.Submit > 0 {
				seen[s.Job] = s
			}
		}
		for _, m := range r.Started {
			started[m.Job] = m.At
		}
		for _, m := range r.Gone {
			gone[m.Job] = m.At + half
		}
	}
	for _, id := range slices.Sorted(maps.Keys(seen)) {
		begin, begun := started[id]
		end, ended := gone[id]
		run, logged := log[id]
		if logged {
			begin, begun = run.Start, true
		}
		switch {
		case logged && run.ended():
		case begun && ended:
			run = jobRun{begin, max(end, begin+1)}
		case begun:
			run = jobRun{begin, math.Inf(1)}
		case ended:
			run = jobRun{math.Inf(1), end}
		default:
			run = jobRun{math.Inf(1), math.Inf(1)}
		}
		list = append(list, ran{seen[id], run})
	}
	slices.SortStableFunc(list, func(a, b ran) int { return cmp.Compare(a.Submit, b.Submit) })
	return list
}

// begun and ended report whether a job has started, and whether it is gone.
func (r jobRun) begun() bool { return !math.IsInf(r.Start, 1) }
func (r jobRun) ended() bool { return !math.IsInf(r.End, 1) }

// ranOf returns the jobs that have run to their end, and counts the others.
func ranOf(all []ran) (list []ran, left leftJobs) {
	for _, x := range all {
		switch {
		case x.begun() && x.ended():
			list = append(list, x)
		case x.begun():
			left.Running++
		case x.ended():
			left.Vanished++
		default:
			left.Waiting++
		}
	}
	return list, left
}

// leftJobs counts jobs of a journal that are not priced.
type leftJobs struct {
	Waiting  int // at the end of the journal
	Running  int // likewise
	Vanished int // between two passes: canceled, or shorter than a pass
}

// passesOf adds up the passes.
func passesOf(records []steer.Record) (p passes) {
	for _, r := range records {
		if r.Kind == steer.KindStart {
			p.Runs++
		}
		b := r.Beat
		if b == nil {
			continue
		}
		p.Passes++
		p.Changes += b.Changed
		p.Seconds = max(p.Seconds, b.Seconds)
		if b.Cut == 0 && !b.Busy {
			p.Pairs += b.Pairs
			p.Agree += b.Agree
		}
	}
	return p
}

// passes is what the passes did.
type passes struct {
	Runs    int // of steer
	Passes  int
	Changes int
	Pairs   int // of waiting jobs, after the passes that were not cut short
	Agree   int // of them, in the order of the policy
	Seconds float64
}

package ask

import (
	"cmp"
	"maps"
	"slices"

	"revopt/simulate/slurm/steer"
)

// jobRun is when a job ran, Unix seconds.
type jobRun struct{ Start, End float64 }

// ran is a job of a journal that has ended.
type ran struct {
	steer.Seen
	jobRun
}

// ranOf returns the jobs that have run to their end, by submission and number, and counts the others. A run of the log
// is preferred to what the passes saw. A job ends between the last pass that lists it and the next one: half a pass
// after the last is the best guess.
func ranOf(records []steer.Record, log map[int64]jobRun) (list []ran, left leftJobs) {
	seen := map[int64]steer.Seen{}
	started, gone := map[int64]float64{}, map[int64]float64{}
	half := 0.0
	for _, r := range records {
		if r.Start != nil {
			half = r.Start.Settings.Every / 2
		}
		for _, s := range r.Seen {
			if _, again := seen[s.Job]; !again {
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
		if !logged {
			run = jobRun{begin, max(end, begin+1)}
		}
		switch {
		case logged || begun && ended:
			list = append(list, ran{seen[id], run})
		case begun:
			left.Running++
		case ended:
			left.Vanished++
		default:
			left.Waiting++
		}
	}
	slices.SortStableFunc(list, func(a, b ran) int { return cmp.Compare(a.Submit, b.Submit) })
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
		p.Newer += b.Newer
		p.Overtook += b.Overtook
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
	// newcomers that started between passes before an older job of their customer and width
	Newer    int
	Overtook int // the same of jobs that a pass had seen
	Seconds  float64
}

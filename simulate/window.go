package simulate

import (
	"fmt"
	"math"
)

// Window says which part of a run is measured. It opens after the warm-up and
// closes after Jobs submissions or at Horizon, whichever comes first, or when
// the source is exhausted. Jobs submitted while it is open are measured; time
// averages are taken over the time it is open.
//
// Every job submitted by the close is followed to its end. Meanwhile arrivals continue,
// unmeasured, so that these jobs meet the same load as the jobs before them. The run
// ends, with later jobs unfinished, when the last of them has left: there is no bias. A
// queue that grows for ever would never release them, so at most as many jobs arrive
// after the close as before it. Then the system drains, which serves the last
// low-ranked jobs sooner than endless arrivals would, and Result.Cut is set.
//
// The zero value measures everything a finite source yields.
type Window struct {
	WarmupJobs int64   // jobs submitted before the window opens
	WarmupTime float64 // s before it opens; the later of the two counts
	Jobs       int64   // jobs submitted before it closes, warm-up included; 0 is no limit
	Horizon    float64 // s before it closes, warm-up included; 0 is no limit

	// Drain stops arrivals at the close. No later job overtakes the waiting jobs then,
	// so that under priorities the last jobs wait too short: a bias of about
	// (queue at the close) / (jobs measured).
	Drain bool
}

func (w Window) validate() error {
	switch {
	case w.WarmupJobs < 0 || w.Jobs < 0 || !(w.WarmupTime >= 0) || !(w.Horizon >= 0) ||
		math.IsInf(w.WarmupTime, 0) || math.IsInf(w.Horizon, 0):
		return fmt.Errorf("simulate: negative or infinite limit in window %+v", w)
	case w.Jobs > 0 && w.WarmupJobs >= w.Jobs:
		return fmt.Errorf("simulate: warm-up of %d jobs leaves none of %d to measure", w.WarmupJobs, w.Jobs)
	case w.Horizon > 0 && w.WarmupTime >= w.Horizon:
		return fmt.Errorf("simulate: warm-up of %g s leaves none of %g s to measure", w.WarmupTime, w.Horizon)
	}
	return nil
}

// gate is the state of the window.
type gate struct {
	Window
	warm        bool // WarmupTime is over
	opened      bool // measuring, or already closed
	closing     bool // the close is on the agenda
	closed      bool
	last        float64 // submission
	submitted   int64   // jobs, in all
	atClose     int64   // submitted before the close
	outstanding int64   // submitted before the close and not ended
	dry         bool    // no further arrivals
	cut         bool    // dry because as many jobs came after the close as before
}

// begin opens the window, or arranges for it, and fetches the first job.
func (k *kernel) begin() {
	if k.gate.WarmupTime > 0 {
		k.events.push(k.gate.WarmupTime, arrival, toOpen, 0)
	} else {
		k.gate.warm = true
		k.open()
	}
	k.pull()
}

// open opens the window if the warm-up is over.
func (k *kernel) open() {
	if k.gate.opened || !k.gate.warm || k.gate.submitted < k.gate.WarmupJobs {
		return
	}
	k.gate.opened = true
	k.announce(Opened)
}

// close ends the measurement; a window that never opened is empty.
func (k *kernel) close() {
	if !k.gate.opened {
		k.gate.opened = true
		k.announce(Opened)
	}
	k.gate.closed = true
	k.gate.atClose = k.gate.submitted
	k.gate.dry = k.gate.dry || k.gate.Drain
	k.announce(Closed)
}

// closeLater closes the window at the horizon if there is one, else now.
func (k *kernel) closeLater() {
	switch {
	case k.gate.closed || k.gate.closing:
	case k.gate.Horizon > 0:
		k.gate.closing = true
		k.events.push(k.gate.Horizon, arrival, toClose, 0)
	default:
		k.close()
	}
}

// pull fetches the next job and schedules its arrival.
func (k *kernel) pull() {
	if k.gate.closed && k.gate.submitted >= 2*k.gate.atClose && !k.gate.dry {
		k.gate.dry, k.gate.cut = true, true
	}
	if k.gate.dry {
		return
	}
	j := k.jobs.take()
	at, nodes := j.seat, j.Nodes
	k.fetching = true
	ok, err := k.source.Next(j)
	k.fetching = false
	if j.fetch != k.jobs.asks { // the source has assigned a whole job
		j.seat = at
		j.Nodes = nodes
		j.reset()
	}
	j.fetch = 0 // a copy of this job must not pass for one that is being filled
	if err == nil && ok {
		err = k.check(j)
	}
	if err != nil || !ok {
		if k.err == nil { // of the policy
			k.err = err
		}
		k.gate.dry = true
		k.jobs.release(j)
		k.closeLater()
		return
	}
	if k.gate.Horizon > 0 && j.Submit > k.gate.Horizon {
		k.closeLater()
		if k.gate.Drain {
			k.gate.dry = true
			k.jobs.release(j)
			return
		}
	}
	k.next = j
	k.arrival = k.events.event(j.Submit, arrival, 0, 0)
}

// check rejects invalid jobs of a source.
func (k *kernel) check(j *Job) error {
	switch {
	case !(j.Submit >= k.gate.last && j.Submit <= math.MaxFloat64):
		return fmt.Errorf("simulate: job %d is submitted at %g, after one at %g", k.gate.submitted, j.Submit,
			k.gate.last)
	case !(j.Work >= 0 && j.Work <= math.MaxFloat64) || j.Width < 1 || j.Class < 0 || j.Rank < 0:
		return fmt.Errorf("simulate: job %d has work %g, width %d, class %d, rank %d", k.gate.submitted, j.Work,
			j.Width, j.Class, j.Rank)
	case j.Value.Floor > math.MaxFloat64 && k.byValue && j.expires() && !j.Impatient() &&
		math.IsInf(j.Value.Forsaken(), -1):
		return fmt.Errorf("simulate: job %d gives up at %g s and would cost a penalty without bounds",
			k.gate.submitted, j.Expire)
	}
	return nil
}

// submit processes the arrival of the job fetched last.
func (k *kernel) submit() {
	j := k.next
	k.arrival.time = never
	j.ID = k.gate.submitted
	k.current = j.ID
	j.work = j.Work
	j.late = k.gate.closed
	j.Measured = k.gate.opened && !k.gate.closed
	k.gate.submitted++
	k.gate.last = j.Submit
	k.alive++
	if !j.late {
		k.gate.outstanding++
	}
	if j.Number > 0 {
		k.originate(j)
	}
	if c := k.entry; c != nil && !j.Void {
		k.observer.Submit(c, j, k.now)
		k.enter(j, c)
	} else {
		k.route(j)
	}
	if !k.gate.opened {
		k.open()
	}
	if !k.gate.closed && k.gate.Jobs > 0 && k.gate.submitted >= k.gate.Jobs {
		k.close()
	}
	k.pull()
}

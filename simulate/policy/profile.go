package policy

import "math"

// profile is the availability profile of a cluster: how many processors will
// be free from which time on if every job ends when it is expected to. It
// serves every policy that makes reservations.
//
// A running job past its expected end holds no processors here. The cluster
// knows what is free in truth, so a policy starts nothing that the profile alone
// has room for.
//
// Times that differ by less than a relative hair are one: sums that are equal
// on paper are equal here, as they are in the kernel.
type profile struct {
	steps []step // by time; the first is the present, the last holds for ever
}

// step is the number of processors free from one time until the next step.
type step struct {
	at   float64
	free int
}

// hair is the relative difference of time below which two moments are one; it
// is the kernel's.
const hair = 1e-14

// before reports whether a comes before b by more than rounding.
func before(a, b float64) bool { return a+hair*a < b }

// advance moves the present to now. The first call says how many processors
// there are.
func (p *profile) advance(now float64, processors int) {
	if len(p.steps) == 0 {
		p.steps = append(p.steps, step{now, processors})
		return
	}
	past := 0
	for past+1 < len(p.steps) && !before(now, p.steps[past+1].at) {
		past++
	}
	if past > 0 {
		p.steps = p.steps[:copy(p.steps, p.steps[past:])]
	}
	p.steps[0].at = now
}

// first returns the time from which on at least width processors are free, and
// how many then, in a profile that never falls: one of running jobs only.
func (p *profile) first(width int) (at float64, free int) {
	for i := range p.steps {
		if s := p.steps[i]; s.free >= width {
			return s.at, s.free
		}
	}
	panic("policy: a job is wider than the cluster")
}

// earliest returns the earliest time from which on width processors are free
// for the given duration.
func (p *profile) earliest(width int, duration float64) float64 {
	return p.sooner(width, duration, math.Inf(1))
}

// sooner is earliest for a job that holds a reservation at the given start. It
// may use its own processors, so the answer is start at the latest.
func (p *profile) sooner(width int, duration, start float64) float64 {
	from, found := start, false
	for i := range p.steps {
		s := &p.steps[i]
		if !before(s.at, start) {
			break // from here on the job has its own processors
		}
		switch {
		case found && !before(s.at, from+duration):
			return from
		case s.free < width:
			from, found = start, false
		case !found:
			from, found = s.at, true
		}
	}
	return from
}

// reserve takes width processors from one time to another.
func (p *profile) reserve(from, to float64, width int) { p.add(from, to, -width) }

// release gives back what was reserved, or the later part of it.
func (p *profile) release(from, to float64, width int) { p.add(from, to, width) }

// add changes the number of free processors between two times; the past does
// not count.
func (p *profile) add(from, to float64, width int) {
	if !before(from, to) || !before(p.steps[0].at, to) {
		return
	}
	i := p.cut(from)
	j := p.cut(to)
	for k := i; k < j; k++ {
		p.steps[k].free += width
	}
	p.mend(j)
	p.mend(i)
}

// cut returns the index of the step at the given time, made if need be.
func (p *profile) cut(at float64) int {
	i := len(p.steps) // most ends are late
	for i > 0 && before(at, p.steps[i-1].at) {
		i--
	}
	switch {
	case i == 0:
		return 0
	case !before(p.steps[i-1].at, at):
		return i - 1
	}
	p.steps = append(p.steps, step{})
	copy(p.steps[i+1:], p.steps[i:])
	p.steps[i] = step{at, p.steps[i-1].free}
	return i
}

// mend removes step i if it is none.
func (p *profile) mend(i int) {
	if i > 0 && p.steps[i].free == p.steps[i-1].free {
		p.steps = append(p.steps[:i], p.steps[i+1:]...)
	}
}

package slurm

import (
	"math"
	"slices"

	"revopt/simulate/policy"
)

// plan is the number of free processors over time if every job ends as expected. It is a plain
// list, as a pass makes it anew and searches it from any time on.
//
// A running job past its expected end holds no processors here, so that the free processors of
// the cluster count too. Times that differ by less than rounding are equal, as in the kernel.
type plan struct {
	steps []step  // by time; the first one is the present
	grid  float64 // places are searched up to a multiple of it; 0: to their end
}

// step is the number of processors that are free from a time to the next step, or for ever.
// Neighbors differ.
type step struct {
	at   float64
	free int
}

// advance moves the present to now. The first call says how many processors there are.
func (p *plan) advance(now float64, processors int) {
	if len(p.steps) == 0 {
		p.steps = append(p.steps, step{now, processors})
		return
	}
	past := 0
	for past+1 < len(p.steps) && !policy.Before(now, p.steps[past+1].at) {
		past++
	}
	if past > 0 {
		p.steps = append(p.steps[:0], p.steps[past:]...)
	}
	p.steps[0].at = now
}

// next returns the time of the first step after the present.
func (p *plan) next() float64 {
	if len(p.steps) < 2 {
		return math.Inf(1)
	}
	return p.steps[1].at
}

// reserve takes processors from one time to another, and release gives them back. The past does
// not count.
func (p *plan) reserve(from, to float64, width int) { p.add(from, to, -width) }
func (p *plan) release(from, to float64, width int) { p.add(from, to, width) }

func (p *plan) add(from, to float64, width int) {
	now := p.steps[0].at
	if !policy.Before(from, to) || !policy.Before(now, to) {
		return
	}
	first := 0
	if from > now {
		first = p.cut(from)
	}
	last := p.cut(to)
	for i := first; i < last; i++ {
		p.steps[i].free += width
	}
	p.join(last)
	p.join(first)
}

// cut returns the place of the step at a time, and makes it if there is none.
func (p *plan) cut(at float64) int {
	i := p.find(at)
	if policy.Before(p.steps[i].at, at) {
		i++
		p.steps = slices.Insert(p.steps, i, step{at, p.steps[i-1].free})
	}
	return i
}

// find returns the place of the last step up to a time.
func (p *plan) find(at float64) int {
	low, high := 0, len(p.steps)
	for high-low > 1 {
		middle := int(uint(low+high) / 2)
		if policy.Before(at, p.steps[middle].at) {
			high = middle
		} else {
			low = middle
		}
	}
	return low
}

// join removes a step that is like the one before.
func (p *plan) join(i int) {
	if i > 0 && p.steps[i].free == p.steps[i-1].free {
		p.steps = slices.Delete(p.steps, i, i+1)
	}
}

// room reports whether processors are free from now on for a time.
func (p *plan) room(width int, duration float64) bool {
	if p.steps[0].free < width {
		return false
	}
	for _, s := range p.steps[1:] {
		if s.free < width {
			return p.over(s.at, p.steps[0].at, duration)
		}
	}
	return true
}

// earliest returns the earliest time, not before the given one, from which on processors are free
// for a duration; +Inf if there is none.
func (p *plan) earliest(from float64, width int, duration float64) float64 {
	steps := p.steps
	i := p.find(from)
	for i < len(steps) {
		if steps[i].free < width {
			i++
			continue
		}
		start := max(from, steps[i].at)
		for i++; i < len(steps) && steps[i].free >= width; i++ {
		}
		if i == len(steps) || p.over(steps[i].at, start, duration) {
			return start
		}
	}
	return math.Inf(1)
}

// over reports whether a place is over at a time.
func (p *plan) over(at, start, duration float64) bool {
	end := start + duration
	if p.grid > 0 && at < end+p.grid && !policy.Before(at, end) { // rounding decides
		end = p.end(start, duration)
	}
	return !policy.Before(at, end)
}

// end returns the end of a place.
func (p *plan) end(start, duration float64) float64 {
	if p.grid > 0 {
		return math.Ceil((start+duration)/p.grid) * p.grid
	}
	return start + duration
}

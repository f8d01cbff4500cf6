package bound

import (
	"math"
	"slices"
)

// profile is how many nodes are free over time: steps, each from its time to that of the next. They are in blocks,
// so that a change moves the steps of a block or two, and a search passes over blocks without a step that it looks
// for.
type profile struct{ blocks []block }

// block is some steps that follow each other.
type block struct {
	times, free []float64 // rising times, and nodes from then on
	least, most float64   // no fewer and no more nodes are free
	changes     int       // since these were found
}

// place is a step: its block, and its number there.
type place struct{ block, step int }

// before reports whether a step comes before another.
func (p place) before(q place) bool {
	return p.block < q.block || p.block == q.block && p.step < q.step
}

// mostSteps is how many steps a block has at most, and mostChanges how often it changes before its least and most are
// found again.
const (
	mostSteps   = 128
	mostChanges = 32
)

// newProfile returns the profile of an empty machine.
func newProfile(nodes float64, up []Level) *profile {
	f := &profile{blocks: []block{{times: []float64{math.Inf(-1)}, free: []float64{nodes}, least: nodes, most: nodes}}}
	for _, l := range up {
		p := f.cut(l.From)
		f.blocks[p.block].free[p.step] = float64(l.Units)
		f.blocks[p.block].sum()
	}
	return f
}

// sum finds the least and the most of a block.
func (b *block) sum() {
	b.changes = 0
	b.least, b.most = b.free[0], b.free[0]
	for _, n := range b.free[1:] {
		b.least, b.most = min(b.least, n), max(b.most, n)
	}
}

func (f *profile) time(p place) float64 { return f.blocks[p.block].times[p.step] }
func (f *profile) room(p place) float64 { return f.blocks[p.block].free[p.step] }

// at returns the step in which a time lies.
func (f *profile) at(t float64) place {
	low, high := 0, len(f.blocks) // the block is from low on and before high
	for low+1 < high {
		if middle := (low + high) / 2; f.blocks[middle].times[0] > t {
			high = middle
		} else {
			low = middle
		}
	}
	times := f.blocks[low].times
	first, last := 0, len(times)
	for first+1 < last {
		if middle := (first + last) / 2; times[middle] > t {
			last = middle
		} else {
			first = middle
		}
	}
	return place{low, first}
}

// next returns the step after another, false after the last.
func (f *profile) next(p place) (place, bool) {
	p.step++
	if p.step == len(f.blocks[p.block].times) {
		p = place{p.block + 1, 0}
	}
	return p, p.block < len(f.blocks)
}

// below returns the first step from p on in which fewer nodes are free than a width, and that starts before a time.
// Where there is none it returns false, and a step before which no step has fewer, so that a later search with the
// same width may begin there.
func (f *profile) below(p place, width, end float64) (place, bool) {
	for ; p.block < len(f.blocks); p = (place{p.block + 1, 0}) {
		b := &f.blocks[p.block]
		if b.least >= width {
			if b.times[p.step] >= end {
				break
			}
			continue
		}
		for ; p.step < len(b.times); p.step++ {
			if b.times[p.step] >= end {
				return p, false
			}
			if b.free[p.step] < width {
				return p, true
			}
		}
	}
	return p, false
}

// above returns the first step from p on in which a width is free. In the last step of a profile all nodes are.
func (f *profile) above(p place, width float64) place {
	for f.blocks[p.block].most < width {
		p = place{p.block + 1, 0}
	}
	for f.room(p) < width {
		p, _ = f.next(p)
		for f.blocks[p.block].most < width {
			p = place{p.block + 1, 0}
		}
	}
	return p
}

// stair is a time from which fewer nodes are free than before.
type stair struct{ from, free float64 }

// stairs appends the stairs from a step on, up to a time, to a list. The first is that step, for all time before.
func (f *profile) stairs(p place, end float64, list []stair) []stair {
	free := f.room(p)
	list = append(list, stair{math.Inf(-1), free})
	for fewer := true; free > 0; {
		p, fewer = f.below(p, free, end)
		if !fewer {
			break
		}
		free = f.room(p)
		list = append(list, stair{f.time(p), free})
	}
	return list
}

// occupy takes nodes, or gives them back.
func (f *profile) occupy(from, to, width float64) {
	if from >= to { // shorter than the clock can tell
		return
	}
	f.cut(to)
	p := f.cut(from)
	for f.time(p) < to {
		b := &f.blocks[p.block]
		p.step = b.take(p.step, to, width)
		b.changes++
		if b.changes == mostChanges {
			b.sum()
		}
		if p.step == len(b.times) {
			p = place{p.block + 1, 0}
		}
	}
	f.join(p)
	f.join(f.at(from))
}

// take takes nodes from a step on up to a time, and returns the next step.
func (b *block) take(step int, to, width float64) int {
	times, free := b.times[step:], b.free[step:]
	for k, t := range times {
		if t >= to {
			return step + k
		}
		free[k] -= width
		if free[k] < b.least {
			b.least = free[k]
		}
		if free[k] > b.most {
			b.most = free[k]
		}
	}
	return len(b.times)
}

// cut returns the step that starts at t, which it makes if there is none.
func (f *profile) cut(t float64) place {
	p := f.at(t)
	b := &f.blocks[p.block]
	if b.times[p.step] == t {
		return p
	}
	n := b.free[p.step]
	p.step++
	b.times, b.free = slices.Insert(b.times, p.step, t), slices.Insert(b.free, p.step, n)
	if len(b.times) <= mostSteps {
		return p
	}
	const half = mostSteps / 2
	late := block{times: slices.Clone(b.times[half:]), free: slices.Clone(b.free[half:])}
	b.times, b.free = b.times[:half], b.free[:half]
	b.sum()
	late.sum()
	f.blocks = slices.Insert(f.blocks, p.block+1, late)
	if p.step >= half {
		p = place{p.block + 1, p.step - half}
	}
	return p
}

// join makes a step part of that before it where as many nodes are free in both.
func (f *profile) join(p place) {
	if p == (place{}) {
		return
	}
	before := place{p.block, p.step - 1}
	if p.step == 0 {
		before = place{p.block - 1, len(f.blocks[p.block-1].times) - 1}
	}
	if f.room(before) != f.room(p) {
		return
	}
	b := &f.blocks[p.block]
	if len(b.times) == 1 {
		f.blocks = slices.Delete(f.blocks, p.block, p.block+1)
		return
	}
	b.times, b.free = slices.Delete(b.times, p.step, p.step+1), slices.Delete(b.free, p.step, p.step+1)
}

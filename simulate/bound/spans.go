package bound

import (
	"cmp"
	"context"
	"math"
)

const (
	mostSpans  = 16
	fewest     = 256  // items of a span
	lookPairs  = 4    // pairs of an item and a cell, of the coarse grid
	lookExact  = 0.05 // by which its prices may be off, of a mean node-second
	idleLength = 2    // mean lengths of a job for which time costs nothing around a cut
)

// split solves a long problem span by span, between times at which the machine's time costs nothing, and reports
// whether the gap is small enough.
//
// Work that could be done before such a time gains nothing by being done later, and what cannot be done before it runs
// on at once, so that prices of the spans are prices of the whole. The times are found by prices on a coarse grid. The
// bound is that of all jobs at the prices of all spans, valid whichever the times are; what all spans earn is what a
// schedule of the whole earns, as no work is done outside of its span. So the gap says whether the times were right.
func (s *search) split() bool {
	if !s.falls || s.o.Gap <= fineGap || len(s.items) < 2*fewest {
		return false
	}
	grid := gridOf(s.ctx, s.items, s.times, lookPairs*len(s.items))
	f := newScaling(newNetwork(s.ctx, capped(s.items, s.unit), grid, s.m))
	f.solve(lookExact * s.unit)
	cuts := s.cuts(grid, f.prices())
	if len(cuts) == 0 {
		return false
	}
	spans := make([][]item, len(cuts)+1)
	for i := range s.items {
		divide(s.items[i], cuts, spans)
	}
	parts := make([]*search, len(spans))
	solve := func(ctx context.Context, k int) {
		o := s.o
		o.first = max(o.first*len(spans[k])/len(s.items), 1024)
		o.edges = max(o.edges*len(spans[k])/len(s.items), o.first)
		parts[k] = newSearch(ctx, spans[k], s.m, o)
		parts[k].refine()
	}
	if s.o.Beside == nil {
		for k := range parts {
			solve(s.ctx, k)
		}
	} else {
		s.err = s.o.Beside(s.ctx, len(parts), solve)
	}
	s.err = cmp.Or(s.err, s.ctx.Err())
	if s.err != nil {
		return true
	}
	var all Prices
	for _, p := range parts {
		all.follow(p.result.Prices)
		s.result.Feasible += p.result.Feasible
	}
	s.keep(all)
	s.result.rate()
	if s.result.Gap > s.o.Gap {
		return false
	}
	s.result.Cells = len(all.Level)
	return true
}

// cuts returns times in the middle of a time that costs nothing, with about as many releases between them.
func (s *search) cuts(grid, level []float64) (cuts []float64) {
	var length float64
	for i := range s.items {
		length += s.items[i].work() / s.items[i].rate
	}
	length /= float64(len(s.items))
	each := max(fewest, len(s.items)/mostSpans)
	released := 0 // before the stretch
	from, next := 0, each
	for k := 0; k < len(level); k++ {
		if level[k] > 0 {
			from = k + 1
			continue
		}
		if k+1 < len(level) && level[k+1] == 0 || grid[k+1]-grid[from] < idleLength*length {
			continue
		}
		at := (grid[from] + grid[k+1]) / 2
		for released < len(s.items) && s.items[released].release < at {
			released++
		}
		if released >= next && released <= len(s.items)-fewest {
			cuts = append(cuts, at)
			next = released + each
		}
	}
	return cuts
}

// divide adds an item to the spans between cuts. What cannot be done in a span is work of the next one.
func divide(it item, cuts []float64, spans [][]item) {
	k := 0
	for k < len(cuts) && cuts[k] <= it.release {
		k++
	}
	for ; k < len(cuts) && it.end > cuts[k]; k++ {
		room, work := it.rate*(cuts[k]-it.release), it.work()
		if room >= work || len(it.layers) > 1 {
			break
		}
		part := it
		part.end, part.layers = cuts[k], []layer{{room, it.layers[0].value}}
		spans[k] = append(spans[k], part)
		it.release, it.layers = cuts[k], []layer{{work - room, it.layers[0].value}}
	}
	if k < len(cuts) {
		it.end = math.Min(it.end, cuts[k])
	}
	spans[k] = append(spans[k], it)
}

// follow adds prices of a later time. Between both time costs nothing.
func (p *Prices) follow(next Prices) {
	if n := len(p.Times); n > 0 && len(next.Times) > 0 {
		if p.Times[n-1] < next.Times[0] {
			p.Level, p.Slope = append(p.Level, 0), append(p.Slope, 0)
		} else {
			next.Times = next.Times[1:]
		}
	}
	p.Times, p.Level = append(p.Times, next.Times...), append(p.Level, next.Level...)
	if next.Slope == nil {
		next.Slope = make([]float64, len(next.Level))
	}
	p.Slope = append(p.Slope, next.Slope...)
}

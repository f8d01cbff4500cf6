package bound

import (
	"context"
	"math"
	"slices"
	"sort"
)

// events returns, rising and without repetition, the times at which the
// problem changes: releases, ends, the bends of losses within windows, and changes of the
// machine.
func events(items []item, m Machine) []float64 {
	times := make([]float64, 0, 2*len(items))
	for i := range items {
		it := &items[i]
		times = append(times, it.release, it.end)
		if it.fall == 0 {
			continue
		}
		for _, t := range [2]float64{it.after, it.bend()} {
			if it.release < t && t < it.end {
				times = append(times, t)
			}
		}
	}
	sort.Float64s(times)
	if first, last := times[0], times[len(times)-1]; m.Up != nil {
		for _, l := range m.Up {
			if first < l.From && l.From < last {
				times = append(times, l.From)
			}
		}
		sort.Float64s(times)
	}
	return slices.Compact(times)
}

// coarse returns about n times that start and end with the first and the last
// event, spaced by an even mixture of the number of events and of time.
func coarse(times []float64, n int) []float64 {
	first, last := times[0], times[len(times)-1]
	ranks, span := float64(len(times)-1), last-first
	grid := make([]float64, 1, n+1)
	grid[0] = first
	// The measure (rank/ranks + (t - first)/span)/2 rises linearly between
	// events.
	measure := func(i int) float64 { return (float64(i)/ranks + (times[i]-first)/span) / 2 }
	i := 0
	for c := 1; c < n; c++ {
		want := float64(c) / float64(n)
		for i+1 < len(times)-1 && measure(i+1) <= want {
			i++
		}
		a, b := measure(i), measure(i+1)
		t := times[i] + (want-a)/(b-a)*(times[i+1]-times[i])
		if t > grid[len(grid)-1] && t < last {
			grid = append(grid, t)
		}
	}
	return append(grid, last)
}

// gridOf returns a grid on which the windows of the items meet about the given
// number of cells in all: every event where these are few enough, cut evenly in
// time where there is room for more and losses call for it; a coarse grid
// where they are too many. Where ctx has ended it is whatever grid was at hand.
func gridOf(ctx context.Context, items []item, times []float64, edges int) []float64 {
	meets := countEdges(items, times)
	if meets <= edges {
		if !anyFall(items) {
			return times
		}
		return subdivide(ctx, items, times, edges)
	}
	// The number of edges is about proportional to the number of cells.
	n := max(int(float64(len(times))*float64(edges)/float64(meets)), 1)
	grid := coarse(times, n)
	for n > 1 && ctx.Err() == nil && countEdges(items, grid) > edges {
		n -= n/10 + 1
		grid = coarse(times, max(n, 1))
	}
	return grid
}

// subdivide cuts the cells between events into equal pieces no longer than the
// least for which the windows meet at most the given number of cells. Pieces
// that the clock cannot tell apart do not count as cells, so that the number of
// pieces is bounded as well.
func subdivide(ctx context.Context, items []item, times []float64, edges int) []float64 {
	span := times[len(times)-1] - times[0]
	best := times
	for length := span / 2; ctx.Err() == nil && len(best) < edges && 2*float64(edges)*length >= span; length /= 2 {
		grid := cutEvery(times, length)
		if countEdges(items, grid) > edges {
			break
		}
		best = grid
	}
	return best
}

// cutEvery adds times so that no two are further apart than length.
func cutEvery(times []float64, length float64) []float64 {
	var grid []float64
	for i, t := range times {
		if i > 0 {
			from := times[i-1]
			n := math.Ceil((t - from) / length)
			for c := 1.0; c < n; c++ {
				if at := from + c/n*(t-from); at > grid[len(grid)-1] && at < t {
					grid = append(grid, at)
				}
			}
		}
		grid = append(grid, t)
	}
	return grid
}

// countEdges returns how many cells of a grid the windows of the items meet.
func countEdges(items []item, grid []float64) int {
	n := 0
	for i := range items {
		first, last := cellsOf(&items[i], grid)
		n += last - first
	}
	return n
}

// cellsOf returns the cells [first, last) of a grid that a window meets.
func cellsOf(it *item, grid []float64) (first, last int) {
	first = sort.SearchFloat64s(grid, it.release)
	if first == len(grid) || grid[first] > it.release {
		first--
	}
	return first, sort.SearchFloat64s(grid, it.end)
}

// anyFall reports whether any item loses value with time.
func anyFall(items []item) bool {
	return slices.ContainsFunc(items, func(it item) bool { return it.fall > 0 })
}

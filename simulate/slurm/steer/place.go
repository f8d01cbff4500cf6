package steer

import (
	"math"
	"slices"

	"revopt/internal/text"
)

// slot is a job that is placed: its priority now, and between which priorities its factor can bring it.
type slot struct {
	number    int64
	priority  int64
	base      int64
	low, high int64
}

// Distances of neighbors in the order, in units of priority. Slurm computes the ages of all jobs once per
// PriorityCalcPeriod, and that of a job whose factor changes at once: a gap is wider than ages grow in a period, so that
// neighbors stay in order between.
const (
	usualGap = 4096
	roomyGap = 256 // where jobs in order are placed anew with others: one more fits between two of them later
	leastGap = 128 // of jobs that are placed anew
)

// place returns priorities under which Slurm has the slots in their order, within the limits of the slots as far as that
// is possible. Slots of the longest run that is in order already keep theirs, and the others go into its gaps. Where many
// move, all are placed anew around the middle of the bases if that helps much: if others have no room between them, as
// when no factor is set, or if new jobs, which have the factor 0, would stand at one end of all others.
func place(list []slot, lowest, highest int64) []int64 {
	const many, much = 50, 0.125
	if len(list) == 0 {
		return nil
	}
	kept := longestRun(list)
	out := fill(list, kept, lowest, highest)
	moved := text.Count(kept, func(stays bool) bool { return !stays })
	off, tight := shape(list, out)
	if moved == 0 || off <= 0.5-much && (tight <= 0.25 || moved < many) {
		return out
	}
	anew := fill(list, make([]bool, len(list)), lowest, highest)
	offThen, tightThen := shape(list, anew)
	if offThen < off-much && tightThen <= tight || tightThen < tight-much && moved >= many {
		return anew
	}
	return out
}

// shape returns by how much the share of slots above the middle of the bases differs from one half, and the share of
// slots that are close to the next.
func shape(list []slot, out []int64) (off, tight float64) {
	middle := middleBase(list)
	above, below, close := 0, 0, 0
	for i, priority := range out {
		switch {
		case priority > middle:
			above++
		case priority < middle:
			below++
		}
		if i > 0 && out[i-1]-priority < leastGap {
			close++
		}
	}
	n := float64(len(list))
	return math.Abs(float64(above-below)) / (2 * n), float64(close) / n
}

func middleBase(list []slot) int64 {
	bases := make([]int64, len(list))
	for i, s := range list {
		bases[i] = s.base
	}
	slices.Sort(bases)
	return bases[len(bases)/2]
}

// fill places the slots that are not kept into the gaps between those that are. Where a gap is too narrow, its neighbors
// are placed anew with it, more and more of them until they have room to spare.
func fill(list []slot, kept []bool, lowest, highest int64) []int64 {
	kept = slices.Clone(kept)
	out := make([]int64, len(list))
	for i, s := range list {
		out[i] = s.priority
	}
	for i := 0; i < len(list); i++ {
		if kept[i] {
			continue
		}
		from, to := i, i // slots that are placed: [from, to)
		for to < len(list) && !kept[to] {
			to++
		}
		for least := int64(leastGap); !spread(list, out, from, to, lowest, highest, least); least = roomyGap {
			more := 1 + (to-from)/4
			from, to = max(from-more, 0), min(to+more, len(list))
			for from > 0 && !kept[from-1] {
				from--
			}
			for to < len(list) && !kept[to] {
				to++
			}
		}
		for k := from; k < to; k++ {
			kept[k] = true
			out[k] = min(max(out[k], list[k].low), list[k].high)
		}
		i = to - 1
	}
	return out
}

// spread sets the priorities of the slots [from, to) evenly between those of their neighbors, at least so far apart, and
// reports whether there was room. Slots without neighbors are spread around the middle of the bases, in any case.
func spread(list []slot, out []int64, from, to int, lowest, highest, least int64) bool {
	n := int64(to - from)
	open := func(above, gap int64) bool { // the first is below above
		for k := from; k < to; k++ {
			out[k] = above - gap*int64(k-from+1)
		}
		return within(list[from:to], out[from:to])
	}
	switch {
	case from == 0 && to == len(list):
		middle := middleBase(list)
		room := 2 * min(middle-lowest, highest-middle)
		gap := max(min(usualGap, room/(n+1)), leastGap)
		gap = max(min(gap, (highest-lowest)/(n+1)), 1)
		above := min(max(middle+gap*(n+1)/2, lowest+gap*n), highest+1)
		open(above, gap)
		return true
	case from == 0:
		below := out[to]
		return open(below+usualGap*(n+1), usualGap) || open(below+least*(n+1), least)
	case to == len(list):
		above := out[from-1]
		gap := min(usualGap, (above-lowest)/n)
		return gap >= least && open(above, gap)
	}
	gap := (out[from-1] - out[to]) / (n + 1)
	return gap >= least && open(out[from-1], gap)
}

// within reports whether all priorities are within the limits of their slots.
func within(list []slot, out []int64) bool {
	for i, s := range list {
		if out[i] < s.low || out[i] > s.high {
			return false
		}
	}
	return true
}

// longestRun marks a longest series of slots that Slurm has in order, and whose priorities are within their limits.
func longestRun(list []slot) []bool {
	var ends []int // of the series of each length that ends highest, the last slot
	previous := make([]int, len(list))
	for i, s := range list {
		previous[i] = -1
		if s.priority < s.low || s.priority > s.high {
			continue
		}
		at, _ := slices.BinarySearchFunc(ends, s, func(k int, s slot) int {
			return before(list[k].number, s.number, list[k].priority, s.priority)
		})
		if at > 0 {
			previous[i] = ends[at-1]
		}
		if at == len(ends) {
			ends = append(ends, i)
		} else {
			ends[at] = i
		}
	}
	kept := make([]bool, len(list))
	if len(ends) > 0 {
		for i := ends[len(ends)-1]; i >= 0; i = previous[i] {
			kept[i] = true
		}
	}
	return kept
}

// agreeing returns the number of pairs of a list in which the first comes first: keys say what comes first, the
// smaller.
func agreeing[K any](list []K, compare func(a, b K) int) (pairs, agree int) {
	n := len(list)
	pairs = n * (n - 1) / 2
	return pairs, pairs - inversions(slices.Clone(list), make([]K, n), compare)
}

// inversions sorts a list, and returns the number of pairs that were out of order.
func inversions[K any](list, spare []K, compare func(a, b K) int) (n int) {
	if len(list) < 2 {
		return 0
	}
	middle := len(list) / 2
	n = inversions(list[:middle], spare, compare) + inversions(list[middle:], spare, compare)
	merged := spare[:0]
	i, j := 0, middle
	for i < middle || j < len(list) {
		if j == len(list) || i < middle && compare(list[i], list[j]) <= 0 {
			merged = append(merged, list[i])
			i++
			continue
		}
		n += middle - i
		merged = append(merged, list[j])
		j++
	}
	copy(list, merged)
	return n
}

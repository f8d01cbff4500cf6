package bound

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"revopt/internal/text"
)

// schedule turns the flow of a network into a relaxed schedule that keeps every
// limit at every time, and returns what it earns: a value between which and the
// bound the optimum of the relaxation lies.
//
// The work of an item in a cell is laid at constant rates into the stretches
// between the events of the cell, by value, as network.greedy does. Where a
// grid has all events there is one stretch per cell, and nothing is lost. Work
// that finds no place, and all that is left to do, then goes wherever there is
// room.
func (n *network) schedule(times []float64, m Machine) float64 {
	s := newSchedule(n, times, m)
	for k := range n.capacity {
		if n.stopped() {
			return 0
		}
		s.lay(k)
	}
	s.fill()
	var sum float64
	for j := range s.items {
		sum += math.Max(0, s.items[j].worth(s.done[j])-s.lost[j])
	}
	return sum
}

// schedule is the state of network.schedule.
type schedule struct {
	*network
	machine Machine
	fine    []float64 // times of the stretches
	start   []int     // first stretch of a cell; one more for the end
	room    []float64 // node-seconds left in the stretches
	done    []float64 // work of the items
	lost    []float64 // $ by lateness
}

func newSchedule(n *network, times []float64, m Machine) *schedule {
	fine := slices.Concat(n.grid, times)
	sort.Float64s(fine)
	fine = slices.Compact(fine)
	s := &schedule{
		network: n, machine: m, fine: fine,
		start: make([]int, len(n.grid)),
		room:  make([]float64, len(fine)-1),
		done:  make([]float64, len(n.items)),
		lost:  make([]float64, len(n.items)),
	}
	for k, t := range n.grid {
		s.start[k], _ = slices.BinarySearch(fine, t)
	}
	for i := range s.room {
		s.room[i] = m.supply(fine[i], fine[i+1])
	}
	return s
}

// share is the work of an item in some time.
type share struct {
	item  int
	work  float64 // node-seconds
	value float64 // $ per node-second, less the loss
}

// mostPairs is how many pairs of an item and a stretch are laid at once.
const mostPairs = 1 << 24

// lay puts the work of a cell into its stretches.
func (s *schedule) lay(k int) {
	var list []share
	for _, u := range s.clean(k) {
		j, e := int(u.item), int(u.edge)
		list = append(list, share{j, s.flow[e], s.items[j].layers[0].value - s.lossOf(e)})
	}
	s.put(list, s.start[k], s.start[k+1])
}

// put puts work into the stretches from the first to the last. If there are too many pairs for that, it puts the work
// into a few parts of that time, and then the work of each part into its stretches.
func (s *schedule) put(list []share, first, last int) {
	if last-first == 1 {
		for _, x := range list {
			s.place(x.item, first, x.work)
		}
		return
	}
	parts := make([]item, len(list))
	for i, x := range list {
		it := &s.items[x.item]
		parts[i] = item{
			release: math.Max(it.release, s.fine[first]), end: math.Min(it.end, s.fine[last]), rate: it.rate,
			layers: []layer{{work: x.work, value: x.value}},
		}
	}
	ends := text.Numbers(last - first + 1) // of the cells, in stretches
	if len(list)*(last-first) > mostPairs {
		const cells = 64
		step := (last - first + cells - 1) / cells
		ends = slices.DeleteFunc(ends, func(i int) bool { return i%step != 0 && i != last-first })
	}
	grid := text.Each(ends, func(i int) float64 { return s.fine[first+i] })
	n := newNetwork(s.ctx, parts, grid, s.machine)
	n.greedy()
	if len(ends) == last-first+1 {
		for i, x := range list {
			for at, e := first+int(n.first[i]), n.base[i]; e < n.base[i+1]; at, e = at+1, e+1 {
				s.place(x.item, at, n.flow[e])
			}
		}
		return
	}
	for c := range n.capacity {
		var within []share
		for _, u := range n.clean(c) {
			x := list[u.item]
			x.work = n.flow[u.edge]
			within = append(within, x)
		}
		if n.stopped() {
			return
		}
		s.put(within, first+ends[c], first+ends[c+1])
	}
}

// place lets item j do up to the given work in a stretch and returns how much
// it does.
func (s *schedule) place(j, at int, most float64) float64 {
	it := &s.items[j]
	a, b := s.fine[at], s.fine[at+1]
	if most == 0 || it.release > a || it.end < b {
		return 0
	}
	amount := math.Min(most, math.Min(s.room[at], it.rate*(b-a)))
	s.room[at] -= amount
	s.done[j] += amount
	s.lost[j] += amount * it.meanLoss(a, b)
	return amount
}

// fill places what is left of the work, most valuable items first, in cells
// in which an item has nothing yet.
func (s *schedule) fill() {
	order := text.Numbers(len(s.items))
	top := func(j int) float64 { return s.items[j].layers[0].value }
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(top(j), top(i)) })
	for _, j := range order {
		if s.stopped() {
			return
		}
		it := &s.items[j]
		l := it.margin(s.done[j])
		for e := s.base[j]; e < s.base[j+1] && l.work > 0; e++ {
			if s.flow[e] > 0 {
				continue
			}
			k := int(s.first[j]) + e - s.base[j]
			for at := s.start[k]; at < s.start[k+1] && s.lossOf(e) < l.value; at++ {
				if s.room[at] > 0 {
					s.top(j, at)
					l = it.margin(s.done[j])
				}
			}
		}
	}
}

// top lets item j do what it can in a stretch while that pays.
func (s *schedule) top(j, at int) {
	it := &s.items[j]
	a, b := s.fine[at], s.fine[at+1]
	most, loss := it.rate*(b-a), it.meanLoss(a, b)
	for l := it.margin(s.done[j]); loss < l.value; l = it.margin(s.done[j]) {
		amount := s.place(j, at, math.Min(l.work, most))
		if amount == 0 {
			return
		}
		most -= amount
	}
}

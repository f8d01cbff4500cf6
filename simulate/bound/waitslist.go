package bound

import (
	"context"
	"math"
	"slices"

	"revopt/internal/heap"
	"revopt/internal/text"
)

// listed returns the loss of the relaxed schedule that gives the machine at every time to the
// tasks of the highest ranks, each at its full rate while there is room. Ranks may change with
// time and are looked at again after so many events that an event costs little. The times of
// all events are left in d.times.
func (d *delays) listed(ctx context.Context, rank func(s *stint, t float64) float64) (times []float64) {
	left := text.Each(d.list, func(s stint) float64 { return s.seconds })
	key := make([]float64, len(d.list))
	waiting := heap.Heap[int]{Less: func(a, b *int) bool {
		return key[*a] > key[*b] || key[*a] == key[*b] && *a < *b
	}}
	var running, next []int
	var share []float64
	var loss float64
	arrived, level, events := 0, 0, 0
	capacity := d.machine.Capacity
	now := d.list[0].release
	for ctx.Err() == nil {
		if waiting.Len()+len(running) == 0 {
			if arrived == len(d.list) {
				break
			}
			now = math.Max(now, d.list[arrived].release)
		}
		for ; arrived < len(d.list) && d.list[arrived].release <= now; arrived++ {
			key[arrived] = rank(&d.list[arrived], now)
			waiting.Push(arrived)
		}
		events++
		if 16*events > waiting.Len() {
			events = 0
			for _, j := range slices.Concat(waiting.List, running) {
				key[j] = rank(&d.list[j], now)
			}
			waiting.Init()
			slices.SortFunc(running, func(a, b int) int {
				if waiting.Less(&a, &b) {
					return -1
				}
				return 1
			})
		}
		until := math.Inf(1)
		if arrived < len(d.list) {
			until = d.list[arrived].release
		}
		for ; level < len(d.machine.Up) && d.machine.Up[level].From <= now; level++ {
			capacity = d.machine.Capacity * float64(d.machine.Up[level].Units) / float64(d.machine.Nodes)
		}
		if level < len(d.machine.Up) {
			until = math.Min(until, d.machine.Up[level].From)
		}
		next, share = next[:0], share[:0]
		i := 0
		for room := capacity; room > hair*capacity && (i < len(running) || waiting.Len() > 0); {
			j := 0
			if i < len(running) && (waiting.Len() == 0 || waiting.Less(&running[i], waiting.First())) {
				j, i = running[i], i+1
			} else {
				j = waiting.Pop()
			}
			x := math.Min(room, d.list[j].rate)
			room -= x
			next, share = append(next, j), append(share, x)
			until = math.Min(until, now+left[j]*d.list[j].rate/x)
		}
		for ; i < len(running); i++ {
			waiting.Push(running[i])
		}
		if n := len(times); n == 0 || times[n-1] < now {
			times = append(times, now)
		}
		running, next = next, running[:0]
		kept := 0
		for i, j := range running {
			s := &d.list[j]
			a, b := math.Max(now, s.after), math.Max(until, s.after)
			loss += share[i] * (b - a) * (s.loss(a) + s.loss(b)) / 2
			left[j] -= (until - now) * share[i] / s.rate
			if left[j] > hair*s.seconds && now+left[j] > now {
				running[kept] = j
				kept++
			}
		}
		running, now = running[:kept], until
	}
	if ctx.Err() == nil {
		d.most = math.Min(d.most, loss)
	}
	return append(times, now)
}

package bound

import (
	"context"
	"math"
	"slices"

	"revopt/internal/heap"
	"revopt/internal/text"
)

// listing is a relaxed schedule that gives the machine at every time to the tasks of the highest
// ranks, each at its full rate while there is room. Ranks may change with time and are looked at
// again after so many events that an event costs little.
type listing struct {
	*delays
	rank    func(s *stint, t float64) float64
	left    []float64 // s at the full rate, by task
	key     []float64 // the rank when it was looked at last, by task
	waiting heap.Heap[int]
	running []int     // the highest ranks first
	next    []int     // that run from now on
	share   []float64 // of these

	arrived  int // tasks
	step     int // of the capacity
	events   int // since ranks were looked at
	capacity float64
	loss     float64
}

// listed returns the times of all events of the schedule by some rank. Its loss is kept if it is the least.
func (d *delays) listed(ctx context.Context, rank func(s *stint, t float64) float64) (times []float64) {
	l := &listing{delays: d, rank: rank, key: make([]float64, len(d.list)), capacity: d.machine.Capacity}
	l.left = text.Each(d.list, func(s stint) float64 { return s.seconds })
	l.waiting.Less = func(a, b *int) bool {
		return l.key[*a] > l.key[*b] || l.key[*a] == l.key[*b] && *a < *b
	}
	now := d.list[0].release
	for ctx.Err() == nil {
		if l.waiting.Len()+len(l.running) == 0 {
			if l.arrived == len(d.list) {
				break
			}
			now = math.Max(now, d.list[l.arrived].release)
		}
		l.look(now)
		until := l.serve(now, l.change(now))
		if n := len(times); n == 0 || times[n-1] < now {
			times = append(times, now)
		}
		l.run(now, until)
		now = until
	}
	if ctx.Err() == nil {
		d.most = math.Min(d.most, l.loss)
	}
	return append(times, now)
}

// look ranks the tasks that have come, and at times all others.
func (l *listing) look(now float64) {
	for ; l.arrived < len(l.list) && l.list[l.arrived].release <= now; l.arrived++ {
		l.key[l.arrived] = l.rank(&l.list[l.arrived], now)
		l.waiting.Push(l.arrived)
	}
	l.events++
	if 16*l.events <= l.waiting.Len() {
		return
	}
	l.events = 0
	for _, j := range slices.Concat(l.waiting.List, l.running) {
		l.key[j] = l.rank(&l.list[j], now)
	}
	l.waiting.Init()
	slices.SortFunc(l.running, func(a, b int) int {
		if l.waiting.Less(&a, &b) {
			return -1
		}
		return 1
	})
}

// change sets the capacity of the machine, and returns when a task comes or the capacity changes.
func (l *listing) change(now float64) (until float64) {
	until = math.Inf(1)
	if l.arrived < len(l.list) {
		until = l.list[l.arrived].release
	}
	up := l.machine.Up
	for ; l.step < len(up) && up[l.step].From <= now; l.step++ {
		l.capacity = l.machine.Capacity * float64(up[l.step].Units) / float64(l.machine.Nodes)
	}
	if l.step < len(up) {
		until = math.Min(until, up[l.step].From)
	}
	return until
}

// serve chooses the tasks that run from now on, and returns when the first of them ends, at the latest at until.
func (l *listing) serve(now, until float64) float64 {
	l.next, l.share = l.next[:0], l.share[:0]
	i := 0
	for room := l.capacity; room > hair*l.capacity && (i < len(l.running) || l.waiting.Len() > 0); {
		j := 0
		if i < len(l.running) && (l.waiting.Len() == 0 || l.waiting.Less(&l.running[i], l.waiting.First())) {
			j = l.running[i]
			i++
		} else {
			j = l.waiting.Pop()
		}
		x := math.Min(room, l.list[j].rate)
		room -= x
		l.next = append(l.next, j)
		l.share = append(l.share, x)
		until = math.Min(until, now+l.left[j]*l.list[j].rate/x)
	}
	for ; i < len(l.running); i++ {
		l.waiting.Push(l.running[i])
	}
	return until
}

// run lets the chosen tasks run, and keeps those that are not over.
func (l *listing) run(now, until float64) {
	l.running, l.next = l.next, l.running[:0]
	kept := 0
	for i, j := range l.running {
		s := &l.list[j]
		a, b := math.Max(now, s.after), math.Max(until, s.after)
		l.loss += l.share[i] * (b - a) * (s.loss(a) + s.loss(b)) / 2
		l.left[j] -= (until - now) * l.share[i] / s.rate
		if l.left[j] > hair*s.seconds && now+l.left[j] > now {
			l.running[kept] = j
			kept++
		}
	}
	l.running = l.running[:kept]
}

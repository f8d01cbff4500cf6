package bound

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"

	"revopt/internal/text"
)

// packing is a schedule of whole runs: what it earns no bound for such schedules
// can be below.
type packing struct {
	*runs
	*profile
	start  []float64 // of the runs; NaN where they do not run
	earned float64   // $
	rnd    *rand.Rand
}

// pack returns what a good schedule earns.
func (r *runs) pack(ctx context.Context, rounds int) float64 { return r.packed(ctx, rounds).earned }

// packed returns a good schedule. The first is the best of several: runs
// put where they earn most beyond prices, and runs started as time goes on, by what
// waiting costs them over several spans of time. Then come so many rounds in which
// some runs that run at about the same time are taken out, and others and they are
// put back in another order, where that earns no less (ruin and recreate, Schrimpf
// et al. 2000).
func (r *runs) packed(ctx context.Context, rounds int) *packing {
	var p *packing
	var mean float64
	all := make([]int, len(r.list))
	for i := range all {
		all[i] = i
		mean += r.list[i].length / float64(len(all))
	}
	for _, wait := range [...]float64{-1, 0, 1, 4, 16} {
		q := &packing{runs: r, profile: newProfile(r.nodes, r.machine.Up), rnd: rand.New(rand.NewPCG(1, 1))}
		q.start = slices.Repeat([]float64{math.NaN()}, len(r.list))
		if wait < 0 {
			q.insert(all, 0, true)
		} else {
			q.serve(ctx, wait*mean)
		}
		if p == nil || q.earned > p.earned {
			p = q
		}
	}
	for round := 0; round < rounds; round++ {
		if round%64 == 0 && ctx.Err() != nil {
			break
		}
		p.rework()
	}
	return p
}

// serve starts runs as time goes on: at every arrival and end those that fit, by
// what they lose per node-second if they wait for the given time, and by what they
// are worth where that is 0. The first that does not fit is put where it fits
// first, one at a time, and later ones go around it, as in EASY backfilling.
func (p *packing) serve(ctx context.Context, wait float64) {
	order := text.Numbers(len(p.list))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.list[a].release, p.list[b].release) })
	longest := 0.0
	for i := range p.list {
		longest = max(longest, p.list[i].length)
	}
	waiting := newBacklog(p.list, wait)
	var free []stair
	reserved := math.Inf(-1)
	for now := math.Inf(-1); ctx.Err() == nil; {
		next := math.Inf(1) // arrival or end
		if len(order) > 0 {
			next = p.list[order[0]].release
		}
		if k, ok := p.next(p.at(now)); ok && waiting.size > 0 {
			next = math.Min(next, p.time(k))
		}
		if math.IsInf(next, 1) {
			return
		}
		now = next
		for len(order) > 0 && p.list[order[0]].release <= now {
			waiting.add(order[0])
			order = order[1:]
		}
		for at := p.at(now); p.room(at) > 0; at = p.at(now) {
			free = free[:0]
			if reserved > now {
				free = p.stairs(at, now+longest, free)
			}
			i := waiting.best(now, free)
			if i < 0 {
				break
			}
			waiting.remove(i)
			n := p.list[i]
			n.release = now
			s := p.fit(&n, false)
			if s > n.last { // it has no place, and later even less is free
				continue
			}
			if s > now {
				reserved = s
			}
			p.add(i, s)
		}
	}
}

// rework takes some runs out and puts them and others back in another order.
func (p *packing) rework() {
	const few = 8
	n := &p.list[p.rnd.IntN(len(p.list))]
	from := n.release + p.rnd.Float64()*math.Min(n.last-n.release, 4*n.length)
	to := from + n.length
	var out, in []int
	for i, seen, idle := 0, 0, 0; i < len(p.list); i++ {
		o := &p.list[i]
		list, count := &in, &idle
		if s := p.start[i]; s == s {
			if s >= to || s+o.length <= from {
				continue
			}
			list, count = &out, &seen
		} else if o.release >= to || o.last+o.length <= from {
			continue
		}
		*count++
		if len(*list) < few {
			*list = append(*list, i)
		} else if k := p.rnd.IntN(*count); k < few {
			(*list)[k] = i
		}
	}
	before := p.earned
	starts := make([]float64, len(out))
	for k, i := range out {
		starts[k] = p.start[i]
		p.remove(i)
	}
	both := append(in, out...)
	p.insert(both, p.rnd.Float64(), p.rnd.IntN(2) == 0)
	if p.earned >= before {
		return
	}
	for _, i := range both {
		if p.start[i] == p.start[i] {
			p.remove(i)
		}
	}
	for k, i := range out {
		p.add(i, starts[k])
	}
	p.earned = before
}

// insert adds runs by value per node-second, disturbed by the given noise. With
// prices a run is first put where it earns most beyond them, of the places at
// which it fits and earns anything; the others are put as early as they fit.
func (p *packing) insert(list []int, noise float64, priced bool) {
	rank := make(map[int]float64, len(list))
	for _, i := range list {
		n := &p.list[i]
		rank[i] = math.Log(n.worth(n.release)/(n.width*n.length)) + noise*p.rnd.NormFloat64()
	}
	slices.SortFunc(list, func(a, b int) int { return cmp.Or(cmp.Compare(rank[b], rank[a]), a-b) })
	for pass := range 2 {
		for _, i := range list {
			if pass == 0 && !priced || p.start[i] == p.start[i] {
				continue
			}
			if s := p.fit(&p.list[i], pass == 0); s <= p.list[i].last {
				p.add(i, s)
			}
		}
	}
}

// fit returns the start of a run that earns most, beyond prices or as such, of
// those at which it fits; +Inf where it fits nowhere or earns nothing.
func (p *packing) fit(n *run, priced bool) float64 {
	best, gain := math.Inf(1), 0.0
	s := n.release
	k := p.at(s)
	clear := k // all steps from k up to this one have room
	for s <= n.last && n.worth(s) > gain {
		b, short := p.below(clear, n.width, s+n.length)
		if short {
			k = p.above(b, n.width)
			s, clear = p.time(k), k
			continue
		}
		if !priced {
			return s
		}
		if g := n.worth(s) - p.price(n.class, s+n.length) + p.price(n.class, s); g > gain {
			best, gain = s, g
		}
		var more bool
		k, more = p.next(k)
		if !more {
			break
		}
		s, clear = p.time(k), b
		if b.before(k) {
			clear = k
		}
	}
	return best
}

func (p *packing) add(i int, s float64) {
	p.start[i] = s
	p.earned += p.list[i].worth(s)
	p.occupy(s, s+p.list[i].length, p.list[i].width)
}

func (p *packing) remove(i int) {
	s := p.start[i]
	p.start[i] = math.NaN()
	p.earned -= p.list[i].worth(s)
	p.occupy(s, s+p.list[i].length, -p.list[i].width)
}

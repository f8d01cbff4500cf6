package bound

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"sort"
	"testing"

	"revopt/internal/text"
)

// plain is a packing on a list of steps, which looks at every waiting run at every instant.
type plain struct {
	list        []run
	times, free []float64
	start       []float64
}

func newPlain(r *runs) *plain {
	p := &plain{list: r.list, times: []float64{math.Inf(-1)}, free: []float64{r.nodes}}
	for _, l := range r.machine.Up {
		p.times, p.free = append(p.times, l.From), append(p.free, float64(l.Units))
	}
	p.start = slices.Repeat([]float64{math.NaN()}, len(r.list))
	return p
}

func (p *plain) serve(wait float64) {
	order := text.Numbers(len(p.list))
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p.list[a].release, p.list[b].release) })
	var waiting []int
	rank := make([]float64, len(p.list))
	reserved := math.Inf(-1)
	for now := math.Inf(-1); ; {
		next := math.Inf(1)
		if len(order) > 0 {
			next = p.list[order[0]].release
		}
		if k := p.at(now) + 1; len(waiting) > 0 && k < len(p.times) {
			next = math.Min(next, p.times[k])
		}
		if math.IsInf(next, 1) {
			return
		}
		now = next
		for len(order) > 0 && p.list[order[0]].release <= now {
			waiting = append(waiting, order[0])
			order = order[1:]
		}
		waiting = slices.DeleteFunc(waiting, func(i int) bool {
			n := &p.list[i]
			rank[i] = (n.worth(now) - 0.8*math.Max(0, n.worth(now+wait))) / (n.width * n.length)
			return !n.pays(now)
		})
		slices.SortFunc(waiting, func(a, b int) int { return cmp.Or(cmp.Compare(rank[b], rank[a]), a-b) })
		waiting = slices.DeleteFunc(waiting, func(i int) bool {
			n := &p.list[i]
			free := p.free[p.at(now)]
			if free == 0 || n.width > free && reserved > now {
				return false
			}
			s := p.first(n, now)
			if !n.pays(s) || s > now && reserved > now {
				return false
			}
			if s > now {
				reserved = s
			}
			p.start[i] = s
			p.occupy(s, s+n.length, n.width)
			return true
		})
	}
}

func (p *plain) at(t float64) int {
	return sort.Search(len(p.times), func(k int) bool { return p.times[k] > t }) - 1
}

// first returns the first start from a time on at which a run fits.
func (p *plain) first(n *run, s float64) float64 {
	for k := p.at(s); k < len(p.times) && p.times[k] < s+n.length; k++ {
		for ; p.free[k] < n.width; k++ {
			s = p.times[k+1]
		}
	}
	return s
}

func (p *plain) occupy(from, to, width float64) {
	if from >= to {
		return
	}
	for _, t := range []float64{from, to} {
		if k := p.at(t); p.times[k] < t {
			p.times, p.free = slices.Insert(p.times, k+1, t), slices.Insert(p.free, k+1, p.free[k])
		}
	}
	for k, t := range p.times {
		if from <= t && t < to {
			p.free[k] -= width
		}
	}
	for _, t := range []float64{to, from} {
		if k := p.at(t); p.free[k] == p.free[k-1] {
			p.times, p.free = slices.Delete(p.times, k, k+1), slices.Delete(p.free, k, k+1)
		}
	}
}

// TestServe compares the search for the best run that fits with a look at every run at every instant.
func TestServe(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 7))
	for round := range 16 {
		jobs := wholes(sp2(200+rnd.IntN(400), pick(rnd, 1, 0.3, 0.05), pick(rnd, 0, 0.5, 1), uint64(round)))
		for i := range jobs {
			l := &jobs[i].Late
			switch rnd.IntN(4) {
			case 0:
				*l = Lateness{}
			case 1:
				l.Rate *= 100
			case 2: // equal ranks
				jobs[i].Parts[0].Value, *l = jobs[i].Parts[0].Work, Lateness{}
			}
		}
		m := Uniform(128)
		if rnd.IntN(2) == 0 {
			m.Up = []Level{{0, 128}, {2e4, 100}, {3e4, 20}, {9e4, 128}}
		}
		r := newRuns(context.Background(), jobs, m, []float64{0, 1})
		for _, wait := range []float64{0, 5e3, 8e4} {
			p := &packing{runs: r, profile: newProfile(r.nodes, m.Up)}
			p.start = slices.Repeat([]float64{math.NaN()}, len(r.list))
			p.serve(context.Background(), wait)
			q := newPlain(r)
			q.serve(wait)
			for i, s := range p.start {
				if s != q.start[i] && (s == s || q.start[i] == q.start[i]) {
					t.Fatalf("round %d, wait %g, run %d starts at %g, expected %g", round, wait, i, s, q.start[i])
				}
			}
		}
	}
}

func pick(rnd *rand.Rand, of ...float64) float64 { return of[rnd.IntN(len(of))] }

// TestProfile takes nodes and gives them back, on blocks and on a list.
func TestProfile(t *testing.T) {
	rnd := rand.New(rand.NewPCG(8, 8))
	f := newProfile(1000, nil)
	p := newPlain(&runs{nodes: 1000})
	type span struct{ from, to, width float64 }
	var taken []span
	for range 3000 {
		var s span
		if n := len(taken); n > 700 || n > 0 && rnd.IntN(3) == 0 {
			k := rnd.IntN(n)
			s = taken[k]
			taken = slices.Delete(taken, k, k+1)
			s.width *= -1
		} else {
			s.from = float64(rnd.IntN(20000))
			s.to = s.from + float64(rnd.IntN(300))
			s.width = float64(1 + rnd.IntN(9))
			taken = append(taken, s)
		}
		f.occupy(s.from, s.to, s.width)
		p.occupy(s.from, s.to, s.width)
		at := float64(rnd.IntN(20000))
		if free := p.free[p.at(at)]; f.room(f.at(at)) != free {
			t.Fatalf("%g of the nodes are free, expected %g", f.room(f.at(at)), free)
		}
		n := run{width: 970 + float64(rnd.IntN(30)), length: float64(rnd.IntN(500)), release: at, last: 1e9, value: 1}
		if s := (&packing{profile: f}).fit(&n, false); s != p.first(&n, at) {
			t.Fatalf("a run fits at %g, expected %g", s, p.first(&n, at))
		}
	}
	for _, b := range f.blocks {
		least, most := slices.Min(b.free), slices.Max(b.free)
		if len(b.times) == 0 || b.least > least || b.most < most {
			t.Fatalf("a block of %d steps has %g to %g nodes, of %g to %g", len(b.times), b.least, b.most, least, most)
		}
	}
	if len(f.blocks) < 4 {
		t.Fatalf("%d blocks", len(f.blocks))
	}
}

// TestFitByPrices: a second costs 0.15 $ for 100 s and 0.01 $ after that. So a run of 50 s for 10 $ earns 2.5 $ beyond the
// prices at once, 9.5 $ from 100 s on, and starts at the first of these steps.
func TestFitByPrices(t *testing.T) {
	r := &runs{grid: []float64{0, 100, 400}, cost: [][]float64{{0, 15, 18}}, rate: [][]float64{{0.15, 0.01, 0}}}
	p := &packing{runs: r, profile: newProfile(4, nil)}
	p.occupy(100, 200, 1)
	n := run{width: 1, length: 50, last: 1000, value: 10}
	if s := p.fit(&n, true); s != 100 {
		t.Errorf("the run starts at %g s, expected 100", s)
	}
}

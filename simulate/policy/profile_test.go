package policy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestProfile compares the profile with a list of how many processors are free
// in each second.
func TestProfile(t *testing.T) {
	const horizon, processors = 60, 8
	rapid.Check(t, func(t *rapid.T) {
		var p Profile
		p.Advance(0, processors)
		free := make([]int, 2*horizon)
		for i := range free {
			free[i] = processors
		}
		type booking struct{ from, to, width int }
		var held []booking
		now := 0
		add := func(b booking, sign int) {
			for i := b.from; i < b.to; i++ {
				free[i] -= sign * b.width
			}
		}
		room := func(from, to int) int {
			least := processors
			for i := from; i < to; i++ {
				least = min(least, free[i])
			}
			return least
		}
		earliest := func(width, duration int) int {
			at := now
			for free[at] < width || room(at, at+duration) < width {
				at++
			}
			return at
		}
		for range rapid.IntRange(1, 40).Draw(t, "steps") {
			switch rapid.IntRange(0, 3).Draw(t, "what") {
			case 0: // book what is free
				from := rapid.IntRange(now, horizon).Draw(t, "from")
				b := booking{from, from + rapid.IntRange(0, 20).Draw(t, "length"), 0}
				if b.width = rapid.IntRange(0, room(b.from, b.to)).Draw(t, "width"); b.width > 0 {
					add(b, 1)
					p.Reserve(float64(b.from), float64(b.to), b.width)
					held = append(held, b)
				}
			case 1: // give a booking back
				if len(held) > 0 {
					i := rapid.IntRange(0, len(held)-1).Draw(t, "which")
					b := held[i]
					held = append(held[:i:i], held[i+1:]...)
					add(b, -1)
					p.Release(float64(b.from), float64(b.to), b.width)
				}
			case 2:
				now = rapid.IntRange(now, min(now+5, horizon)).Draw(t, "now")
				p.Advance(float64(now), processors)
			case 3: // move a booking up
				if len(held) > 0 {
					b := &held[rapid.IntRange(0, len(held)-1).Draw(t, "which")]
					if b.from < now {
						continue
					}
					add(*b, -1)
					want := earliest(b.width, b.to-b.from)
					add(*b, 1)
					got := p.sooner(b.width, float64(b.to-b.from), float64(b.from))
					if got != math.Min(float64(want), float64(b.from)) {
						t.Fatalf("booking %v can move to %d, the profile says %g", *b, want, got)
					}
				}
			}
			for i := now; i < len(free); i++ {
				if got := p.at(float64(i)); got != free[i] {
					t.Fatalf("%d processors are free at %d, the profile says %d: %v", free[i], i, got, p.steps(p.root))
				}
			}
			s := p.steps(p.root)
			for i := range s[1:] {
				if s[i+1].change == 0 || s[i].at >= s[i+1].at {
					t.Fatalf("step %d is none: %v", i+1, s)
				}
			}
			width, duration := rapid.IntRange(1, processors).Draw(t, "wanted"), rapid.IntRange(0, 30).Draw(t, "for")
			if got, want := p.Earliest(width, float64(duration)), earliest(width, duration); got != float64(want) {
				t.Fatalf("%d processors are free for %d from %d on, the profile says %g", width, duration, want, got)
			}
		}
	})
}

// TestTallProfile compares searches in a tall tree with a list of how many
// processors are free in each second. Most changes are reservations, as in a long
// queue.
func TestTallProfile(t *testing.T) {
	const horizon, processors = 3000, 24
	for seed := range uint64(3) {
		rnd := rand.New(rand.NewPCG(seed, 1))
		p := Profile{tree: tree[step, span]{crowd: 4}}
		p.Advance(0, processors)
		free := slices.Repeat([]int{processors}, 4*horizon)
		type booking struct{ from, to, width int }
		var held []booking
		add := func(b booking, by int) {
			for i := b.from; i < b.to; i++ {
				free[i] += by
			}
			p.add(float64(b.from), float64(b.to), by)
		}
		earliest := func(now, width, duration int) int {
			at := now
			for i := at; i < at+duration || i == at; i++ {
				if free[i] < width {
					at = i + 1
				}
			}
			return at
		}
		releases := []float64{0, 0.01, 0.3}[seed%3]
		now := 0
		for range 2000 {
			if rnd.IntN(20) == 0 {
				now += rnd.IntN(3)
				p.Advance(float64(now), processors)
			}
			if len(held) > 0 && rnd.Float64() < releases {
				i := rnd.IntN(len(held))
				b := held[i]
				held[i] = held[len(held)-1]
				held = held[:len(held)-1]
				if b.from = max(b.from, now); b.from < b.to {
					add(b, b.width)
				}
			}
			b := booking{width: 1 + rnd.IntN(processors), from: now + rnd.IntN(horizon)}
			length := 1 + rnd.IntN(40)
			want := earliest(now, b.width, length)
			if got := p.Earliest(b.width, float64(length)); got != float64(want) {
				t.Fatalf("seed %d: %d processors are free for %d from %d on, the profile says %g", seed, b.width, length, want, got)
			}
			if rnd.IntN(2) == 0 {
				b.from = want
			} else { // anywhere, so that gaps stay
				b.from = earliest(b.from, b.width, length)
			}
			if b.to = b.from + length; b.to < now+horizon {
				add(b, -b.width)
				held = append(held, b)
			}
		}
	}
}

// at returns how many processors are free at a time.
func (p *Profile) at(t float64) int {
	free := 0
	for _, s := range p.steps(p.root) {
		if s.at <= t {
			free += s.change
		}
	}
	return free
}

// steps returns the steps of a node.
func (p *Profile) steps(n *node[step, span]) []step {
	all := n.leaf
	for i := range n.kids {
		all = append(all, p.steps(n.kids[i].node)...)
	}
	return all
}

// TestProfileRounding: ends that differ by rounding are one step, and giving
// back what was taken leaves nothing behind.
func TestProfileRounding(t *testing.T) {
	var p Profile
	p.Advance(0, 3)
	tenth := 0.1
	a, b := tenth+0.2, 0.3
	if a == b {
		t.Fatal("0.1 + 0.2 is 0.3 here")
	}
	p.Reserve(0, a, 1)
	p.Reserve(0, b, 1)
	if at, free := p.first(3); len(p.steps(p.root)) != 2 || at != a || free != 3 {
		t.Errorf("all are free at %g: %v", at, p.steps(p.root))
	}
	p.Release(0.1, a, 1)
	p.Release(0.1, b, 1)
	p.Advance(0.1, 3)
	if s := p.steps(p.root); len(s) != 1 || s[0].change != 3 {
		t.Errorf("something is left: %v", s)
	}
}

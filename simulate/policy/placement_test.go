package policy

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
)

// keys is a judge by given keys that counts what it is asked for.
type keys struct {
	of    []float64
	asked int
}

func (k *keys) keyOf(node int) float64 {
	k.asked++
	return k.of[node]
}

func (k *keys) members(to []int, node, _ int) []int { return append(to, node) }

// TestShortlist compares the choice with the one by all keys, where many are
// equal but for rounding, some are unfit, and floors are anything below.
func TestShortlist(t *testing.T) {
	const tolerance = 1e-9
	rnd := rand.New(rand.NewPCG(8, 9))
	asked, nodes := 0, 0
	s := shortlist{tolerance: tolerance}
	for trial := range 20_000 {
		all := shortlist{tolerance: tolerance}
		all.reset()
		k := &keys{of: make([]float64, 1+rnd.IntN(12))}
		s.reset()
		for i := range k.of {
			k.of[i] = float64(rnd.IntN(6)) + tolerance*0.7*float64(rnd.IntN(4))
			if rnd.IntN(5) == 0 {
				k.of[i] = math.Inf(1)
			} else {
				all.nominate(k.of[i], i, 1, false)
			}
			switch known := rnd.IntN(3); {
			case known == 0 && k.of[i] < math.Inf(1):
				s.nominate(k.of[i], i, 1, false)
			case known == 0: // is left out
			default:
				s.nominate(min(k.of[i], 7)-float64(rnd.IntN(3))*rnd.Float64(), i, 1, true)
			}
		}
		width := 1 + rnd.IntN(len(k.of))
		got, ok := s.pick(width, k)
		want, enough := all.pick(width, k)
		if ok != enough || ok && !slices.Equal(got, want) {
			t.Fatalf("trial %d: %v of %v: %v, %v, want %v, %v", trial, width, k.of, got, ok, want, enough)
		}
		asked, nodes = asked+k.asked, nodes+len(k.of)
	}
	if asked > nodes/2 {
		t.Errorf("%d keys of %d were asked for", asked, nodes)
	}
}

// TestTake: keys that differ by less than the tolerance are equal, directly or
// through others, and of equals the lower nodes are taken.
func TestTake(t *testing.T) {
	for _, test := range []struct {
		keys []float64
		want []int // the nodes, as many as are asked for
	}{
		{[]float64{3, 1, 2}, []int{1}},
		{[]float64{3, 1, 2}, []int{1, 2}},
		{[]float64{3, 1, 2}, []int{0, 1, 2}},
		{[]float64{1, 1, 1, 1}, []int{0, 1}},
		{[]float64{1 + 1e-13, 1, 1, 0}, []int{0, 3}},
		{[]float64{1 + 3e-10, 1 + 6e-10, 1}, []int{0}},
		{[]float64{1 + 1.8e-9, 1 + 9e-10, 1}, []int{0, 1}}, // through node 1
		{[]float64{1 + 2e-9, 5, 1}, []int{2}},
		{[]float64{-1, math.Inf(1), -2}, []int{0, 2}},
	} {
		p := shortlist{tolerance: 1e-9}
		for round := range 2 { // the second with arrays that have been used
			p.reset()
			for n, key := range test.keys {
				p.nominate(key, n, 1, false)
			}
			got, _ := p.pick(len(test.want), &keys{})
			for i := range test.want {
				if len(got) != len(test.want) || got[i] != test.want[i] {
					t.Errorf("round %d, keys %v: took %v, want %v", round, test.keys, got, test.want)
					break
				}
			}
		}
	}
}

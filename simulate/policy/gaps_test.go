package policy

import "testing"

// TestGaps: after some searches without success, the root of a tall profile knows that its
// branches have no long place, and a place that is released is found again.
func TestGaps(t *testing.T) {
	const processors, places = 8, 400
	p := Profile{tree: tree[step, span]{crowd: 4}}
	p.Advance(0, processors)
	for i := range places {
		p.Reserve(float64(10*i), float64(10*i+5), 6) // 2 are free for 5 s, then all for 5 s
	}
	for range 2 << 12 {
		if at := p.Earliest(3, 6); at != 10*(places-1)+5 {
			t.Fatalf("3 processors are free for 6 s from %d on, the profile says %g", 10*(places-1)+5, at)
		}
	}
	barren, free := 0, 0
	for i := range p.root.kids {
		k := &p.root.kids[i].sum
		if k.gaps.barren(free, classOf(3), 6) {
			barren++
		}
		free += k.change
	}
	if barren < len(p.root.kids)-1 {
		t.Errorf("%d of %d branches are known to have no place", barren, len(p.root.kids))
	}
	p.Release(1000, 1005, 6)
	if at := p.Earliest(3, 6); at != 995 {
		t.Errorf("3 processors are free for 6 s from 995 on, the profile says %g", at)
	}
}

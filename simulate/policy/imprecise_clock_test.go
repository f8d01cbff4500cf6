package policy

import "testing"

// TestShareEndsLateInARun checks that the estimate of MandatoryTime goes on
// where what is left of a part takes less time than the clock resolves: at ten
// million seconds that is two thousand-millionths of a second.
func TestShareEndsLateInARun(t *testing.T) {
	h := &held{due: 2e7, parts: make([]part, 1)}
	h.terms.Optional = 0.5
	p := &h.parts[0]
	p.of, p.goal = h, 0.5
	s := &imprecise{scheme: MandatoryTime, speed: 1, plan: plan{now: 1e7, until: []float64{1e7}}}
	s.sharing = sharing{queue: []*part{p}, goals: []aim{{p.goal, p}}, at: 1e7, given: 0.5 - 0.7e-9, active: 1}
	for range 3 {
		if !p.gone {
			s.step()
		}
	}
	if !p.gone || s.sharing.active != 0 || s.sharing.at != 1e7 {
		t.Errorf("gone %v, %d active at %g: the part is done as good as now", p.gone, s.sharing.active, s.sharing.at)
	}
}

// TestShareCountsAlikeParts sets parts that are planned as one against the same
// parts each in a job of its own.
func TestShareCountsAlikeParts(t *testing.T) {
	estimate := func(jobs, width int) float64 {
		s := &imprecise{scheme: MandatoryTime, speed: 2, plan: plan{now: 10, until: []float64{10, 10, 14}}}
		for range jobs {
			h := &held{due: 17, parts: make([]part, width)}
			h.terms.Mandatory, h.terms.Optional, h.terms.Reward = 3, 12, 5
			for i := range h.parts {
				h.parts[i] = part{of: h, optional: 12, ready: 10, node: nowhere}
			}
			s.urgent = append(s.urgent, h)
		}
		s.share(nil)
		return s.sharing.given
	}
	// Eight lengths share two processors of speed 2 for 4 s, then three for 3 s:
	// 16 + 18 processor-seconds, of which each has an eighth.
	for _, shape := range [][2]int{{8, 1}, {4, 2}, {1, 8}} {
		if got, want := estimate(shape[0], shape[1]), 34.0/8; got < want-1e-9 || got > want+1e-9 {
			t.Errorf("%d jobs of %d parts: each is given %g, want %g", shape[0], shape[1], got, want)
		}
	}
}

package metric

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"revopt/simulate"
)

// mser5 returns how many leading observations of a run MSER-5 discards.
func mser5(x []float64) (discard int, ok bool) {
	const batch = 5
	y := make([]float64, len(x)/batch)
	for i := range y {
		for _, v := range x[i*batch : (i+1)*batch] {
			y[i] += v / batch
		}
	}
	d, ok := mser(y)
	return d * batch, ok
}

// TestMSER5 is given noise around a level that is reached after a while. The
// step has its truncation exactly; the ramp's lies where its remaining bias is
// lost in the noise.
func TestMSER5(t *testing.T) {
	rnd := rand.New(rand.NewPCG(7, 8))
	noisy := func(n int, bias func(i int) float64) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = 10 + bias(i) + rnd.NormFloat64()
		}
		return x
	}
	for _, test := range []struct {
		name   string
		x      []float64
		lo, hi int
		ok     bool
	}{
		{"step", noisy(2000, func(i int) float64 {
			if i < 300 {
				return -10
			}
			return 0
		}), 300, 310, true},
		{"decay", noisy(5000, func(i int) float64 { return -10 * math.Exp(-float64(i)/100) }), 250, 600, true},
		{"no warm-up", noisy(2000, func(int) float64 { return 0 }), 0, 100, true},
		{"trend to the end", noisy(1000, func(i int) float64 { return float64(i) }), 500, 1000, false},
		{"too short", []float64{1, 2, 3}, 0, 0, false},
	} {
		got, ok := mser5(test.x)
		if got < test.lo || got > test.hi || ok != test.ok || got%5 != 0 {
			t.Errorf("%s: discard %d, %t; want %d to %d, %t", test.name, got, ok, test.lo, test.hi, test.ok)
		}
	}
}

// TestMSER5ByHand: batch means 9, 2, 1, 2, 1, 2, 1 (times 5). Without the
// first the sum of squares is 1.5 over 6 means: 1.5/36 is less than with it
// (49.714/49) and less than that of the last five (1.2/25).
func TestMSER5ByHand(t *testing.T) {
	var x []float64
	for _, y := range []float64{9, 2, 1, 2, 1, 2, 1} {
		for range 5 {
			x = append(x, y)
		}
	}
	if got, ok := mser5(x); got != 5 || !ok {
		t.Errorf("discard %d, %t; want 5, true", got, ok)
	}
}

// TestPilot sees a system fill: every job of the first 3000 stays, from then
// on each that comes replaces one. Batches are joined on the way.
func TestPilot(t *testing.T) {
	p := new(Pilot)
	const jobs, full = 100_000, 3000
	for i := range jobs {
		p.Observe(simulate.Event{Kind: simulate.Submitted})
		if i >= full {
			p.Observe(simulate.Event{Kind: simulate.Completed})
		}
	}
	if got, ok := p.Warmup(); !ok || got < full || got > full+40 {
		t.Errorf("warm-up of %d jobs, %t; want about %d", got, ok, full)
	}
}

// TestSumNumbers fills every field of a sum with a number of its own.
func TestSumNumbers(t *testing.T) {
	list := Sum{}.Numbers()
	for i := range list {
		list[i] = float64(i + 1)
	}
	list[len(list)-1] = 1 // ByWait
	s := NewSum(list)
	if !slices.Equal(s.Numbers(), list) || !s.ByWait || s.Submitted != 1 || s.Reasons[0] == 0 || s.Value == 0 || s.Capacity == 0 || s.Waits[0] == 0 {
		t.Errorf("%v became %+v", list, s)
	}
}

package model

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(x, y, tolerance float64) bool { return math.Abs(x-y) <= tolerance*(1+math.Abs(y)) }

// TestByWidth works out by hand the waits of whole-machine jobs and single nodes on 64 nodes.
func TestByWidth(t *testing.T) {
	wide := Class{Name: "wide", Rate: 0.2, Length: exponential{1}, Width: FixedWidth(64), Decay: 8,
		Price: Tariff{Fixed: 4, PerSecond: 2, PerNodeSecond: 1}, Deadline: Grace{Fixed: 1, Lengths: 1.5}}
	narrow := Class{Name: "narrow", Rate: 25.6, Length: deterministic{1}, Width: FixedWidth(1), Decay: 1,
		Grace: Grace{Lengths: 2}, Price: Tariff{PerSecond: 5}}
	raw := System{Classes: []Class{wide, narrow}, Phi: 1}
	raw.Parallel = 64 / MeanWidth(raw.Classes)
	sys := raw.By(Pooled)
	hol, err := NewHOL(sys)
	if err != nil {
		t.Fatal(err)
	}
	// Loads 0.2 and 0.4; S has second moments 2 and 1/64^2. Narrow is urgent: 1/(1/64) against 8.
	t0 := (0.2*2 + 25.6/4096) / 2
	got := hol.Waits(make([]float64, 2), []float64{1, 1})
	for i, want := range []float64{t0 / (0.4 * 0.6), t0 / 0.6} {
		if !near(got[i], want, 1e-12) {
			t.Errorf("%s waits %g, want %g", raw.Classes[i].Name, got[i], want)
		}
	}
	if load := sys.Load(); !near(load, 0.6, 1e-12) {
		t.Errorf("load %g", load)
	}
	for i, c := range raw.Classes {
		d := sys.Classes[i]
		for name, pair := range map[string][2]float64{"price": {d.MeanPrice(), c.MeanPrice()},
			"decay": {d.MeanDecay(), c.MeanDecay()}, "grace": {d.MeanGrace(), c.MeanGrace()}} {
			if !near(pair[0], pair[1], 1e-12) {
				t.Errorf("%s: %s %g, was %g", c.Name, name, pair[0], pair[1])
			}
		}
	}
	if printed := raw.By(Printed); printed.Classes[0].Length != wide.Length {
		t.Error("printed takes own widths")
	}
}

// TestFilled compares with a tree worked out by hand, and with jobs drawn at random.
func TestFilled(t *testing.T) {
	two := []Class{{Rate: 1, Width: FixedWidth(1)}, {Rate: 1, Width: FixedWidth(2)}}
	if got := filled(two, 3); !near(got, 0.875, 1e-15) {
		t.Errorf("widths 1 and 2 fill %g of 3 nodes, want 0.875", got)
	}
	mixed := Class{Rate: 1, Width: Width{Values: []float64{250, 750, 1500}, Weights: []float64{0.5, 0.3, 0.2}}}
	rnd := rand.New(rand.NewPCG(1, 2))
	const rounds = 100_000
	for _, nodes := range []int{1500, 5000, 200_000} {
		sum := 0
		for range rounds / (1 + nodes/5000) {
			free := nodes
			for {
				u, w := rnd.Float64(), 250
				if u > 0.8 {
					w = 1500
				} else if u > 0.5 {
					w = 750
				}
				if w > free {
					break
				}
				free -= w
			}
			sum += free
		}
		want := 1 - float64(sum)/float64(rounds/(1+nodes/5000)*nodes)
		if got := filled([]Class{mixed}, nodes); math.Abs(got-want) > 2e-3 {
			t.Errorf("%d nodes: filled %g, drawn %g", nodes, got, want)
		}
	}
	if got := filled([]Class{mixed}, 1<<31-1); !(got > 0.99 && got <= 1) {
		t.Errorf("a very large machine is filled to %g", got)
	}
}

// TestSized compares the distribution of a length times a width with sums over widths, and with its own density.
func TestSized(t *testing.T) {
	c := Class{Length: exponential{2}, Width: Width{Values: []float64{1, 4}, Weights: []float64{0.75, 0.25}}}
	d := c.counted(2).Length // means 1 and 4
	for _, x := range []float64{0.1, 1, 7} {
		tail := 0.75*math.Exp(-x) + 0.25*math.Exp(-x/4)
		excess := 0.75*math.Exp(-x) + math.Exp(-x/4)
		if !near(d.CDF(x), 1-tail, 1e-12) || !near(d.Excess(x), excess, 1e-12) || !near(d.Quantile(1-tail), x, 1e-9) {
			t.Errorf("at %g: %g, %g, %g", x, d.CDF(x), d.Excess(x), d.Quantile(1-tail))
		}
	}
	s := complex(0.3, 0.7)
	want := complex(0.75, 0)/(1+s) + complex(0.25, 0)/(1+4*s)
	comp, slope := newLength(d).complement(s)
	wantSlope := complex(0.75, 0)/((1+s)*(1+s)) + 1/((1+4*s)*(1+4*s))
	for i, diff := range []complex128{d.Transform(s) - want, 1 - comp - want, slope - wantSlope} {
		if math.Hypot(real(diff), imag(diff)) > 1e-12 {
			t.Errorf("transform %d is off by %v", i, diff)
		}
	}
	rnd, sum := rand.New(rand.NewPCG(3, 4)), 0.0
	for range 100_000 {
		sum += d.Rand(rnd)
	}
	if mean := sum / 100_000; !near(d.Mean(), 1.75, 1e-12) || math.Abs(mean-1.75) > 0.04 || !near(d.Moment(2), 9.5, 1e-12) {
		t.Errorf("moments %g, %g; drawn %g", d.Mean(), d.Moment(2), mean)
	}
}

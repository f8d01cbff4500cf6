package model

import (
	"math"
	"testing"
)

// TestRenting compares the worth and the rent of refused jobs with sums over the quantiles of
// their lengths, for all families, and with the cases that are easy.
func TestRenting(t *testing.T) {
	for _, kind := range Kinds() {
		sd := 40.0
		if kind == HyperExponential {
			sd = 80
		}
		length, err := New(kind, 60, sd, 5)
		if err != nil {
			t.Fatal(err)
		}
		c := Class{
			Length: length, Width: Width{Values: []float64{1, 4}, Weights: []float64{0.75, 0.25}},
			Price: Tariff{PerNodeSecond: 2}, Decay: 0.5, Grace: Grace{Fixed: 10}, Floor: Floor{None: true},
		}
		for _, r := range []Rent{{Price: 1}, {Price: 0.3, Startup: 30}, {Price: 0.3, Startup: 30, Minimum: 20},
			{Price: 0.3, Startup: 30, Minimum: 75}, {Price: 0.3, Minimum: 300}, {}} {
			const n = 5000
			var units float64
			for i := range n {
				x := length.Quantile((float64(i) + 0.5) / n)
				units += 1.75 * math.Max(r.Startup+x, r.Minimum) / n
			}
			want := Outside{Worth: 2*1.75*60 - 0.5*math.Max(0, r.Startup-10) - r.Price*units, Rent: r.Price * units}
			if want.Worth < 0 {
				want = Outside{}
			}
			got := c.Renting(&r)
			if math.Abs(got.Outside.Worth-want.Worth) > 0.002*210 || math.Abs(got.Outside.Rent-want.Rent) > 0.002*210 {
				t.Errorf("%s, %+v: got %+v, want %+v", kind, r, got.Outside, want)
			}
			if x := c.MeanPrice() - got.Outside.Worth; math.Abs(got.MeanPrice()-x) > 1e-12 {
				t.Errorf("%s, %+v: lowered price %g, want %g", kind, r, got.MeanPrice(), x)
			}
		}
		c.Hard, c.Floor = 0.5, Floor{Fixed: 7} // half of the jobs cost 7 once late, the others lose 0.5 * 20
		want := 210 - 0.5*10 - 0.5*217
		if got := c.Renting(&Rent{Startup: 30}); math.Abs(got.Outside.Worth-want) > 1e-9 {
			t.Errorf("%s, hard: got %+v, want %g", kind, got.Outside, want)
		}
		if got := c.Renting(&Rent{Price: 2.2}); got.Outside != (Outside{}) || got.MeanPrice() != c.MeanPrice() {
			t.Errorf("%s: too dear: %+v", kind, got.Outside)
		}
	}
}

package model

import (
	"math"
	"testing"
)

// TestDemandCurves checks every curve: its elasticity at the stated price, that
// price and rate are inverse, the derivatives of the revenue against differences,
// the rate sold at a marginal revenue, and that a largest price cuts the price.
func TestDemandCurves(t *testing.T) {
	near := func(what string, got, want, tolerance float64) {
		t.Helper()
		if !(math.Abs(got-want) <= tolerance*math.Abs(want)) {
			t.Errorf("%s: got %.12g, want %.12g", what, got, want)
		}
	}
	for _, curve := range Curves() {
		for _, most := range []float64{0, 25} {
			d := &Demand{Curve: curve, Elasticity: 1.7, Price: 20, Rate: 3, Max: most}
			if err := d.Validate(); err != nil {
				t.Fatal(err)
			}
			const h = 1e-5
			near("elasticity", (math.Log(d.RateAt(20*(1-h)))-math.Log(d.RateAt(20*(1+h))))/(2*h), 1.7, 1e-6)
			for _, x := range []float64{0.02, 0.4, 1, 1.2} {
				rate := 3 * x
				price := d.PriceAt(rate)
				if most == 0 || rate > d.Kink() {
					near("rate", d.RateAt(price), rate, 1e-12)
				} else {
					near("largest price", price, most, 0)
				}
				value, slope, curvature := d.Revenue(rate)
				near("revenue", value, rate*price, 1e-12)
				up, right, _ := d.Revenue(rate * (1 + h))
				down, left, _ := d.Revenue(rate * (1 - h))
				near("slope", (up-down)/(2*h*rate), slope, 1e-6)
				if curvature != 0 {
					near("curvature", (right-left)/(2*h*rate), curvature, 1e-6)
					near("sold", d.Sold(slope), rate, 1e-9)
				}
			}
			if k := d.Kink(); most > 0 {
				near("sold at the kink", d.Sold(20), k, 1e-12)
				near("sold above the largest price", d.Sold(26), 0, 0)
			}
		}
	}
	for _, d := range []Demand{
		{Curve: "cubic", Elasticity: 2, Price: 1}, {Curve: IsoelasticDemand, Elasticity: 1, Price: 1}, {Curve: LinearDemand, Price: 1},
		{Curve: LinearDemand, Elasticity: 1}, {Curve: LinearDemand, Elasticity: 1, Price: 2, Max: 1}, {Curve: LinearDemand, Elasticity: 1, Price: 2, Rate: math.NaN()},
	} {
		if d.Validate() == nil {
			t.Errorf("%+v is taken", d)
		}
	}
}

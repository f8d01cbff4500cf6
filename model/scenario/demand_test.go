package scenario

import (
	"bytes"
	"math"
	"testing"

	"revopt/model"
)

// shop is a scenario with demands.
const shop = `server: {parallel: 10}
load: 0.9
classes:
  - name: a
    share: 50%
    length: {dist: exponential, mean: 1h}
    price: 50
    decay: {per_hour: 10%}
    demand: {curve: exponential, elasticity: 1.5}
    price_max: 80
  - name: b
    share: 50%
    length: {dist: exponential, mean: 2h}
    price: {per_hour: 10}
    demand: {curve: linear, elasticity: 0.5}
`

// TestDemandCurve checks what a demand refers to: the price and the rate of the file.
func TestDemandCurve(t *testing.T) {
	file, err := decodeText(shop)
	if err != nil {
		t.Fatal(err)
	}
	a, b := file.Classes[0], file.Classes[1]
	if want := (model.Demand{Curve: model.ExponentialDemand, Elasticity: 1.5, Price: 50, Rate: a.Rate, Max: 80}); *a.Demand != want {
		t.Errorf("demand %+v, want %+v", *a.Demand, want)
	}
	if b.Demand.Price != 20 || b.Demand.Max != 0 {
		t.Errorf("demand %+v, want price 20", *b.Demand)
	}
	moved, err := decodeText(shop, mustParse(t, "classes.a.price=60"), mustParse(t, "classes.b.price.per_hour=15"))
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []float64{a.Rate * math.Exp(-1.5*0.2), b.Rate * 0.75} {
		c := moved.Classes[i]
		if !near(c.Rate, want) || *c.Demand != *file.Classes[i].Demand || !near(c.MeanDecay(), file.Classes[i].MeanDecay()) {
			t.Errorf("class %s at %g: rate %g, want %g; demand %+v, decay %g", c.Name, c.MeanPrice(), c.Rate, want, *c.Demand, c.MeanDecay())
		}
	}
	if want := file.System().Load(); !near(moved.Load, moved.System().Load()) || !(moved.Load < want) {
		t.Errorf("load %g, want that of the rates, below %g", moved.Load, want)
	}
	// A file written of it says the same.
	var text bytes.Buffer
	if err := moved.WriteYAML(&text); err != nil {
		t.Fatal(err)
	}
	again, err := decodeText(text.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, text.String())
	}
	for i, c := range again.Classes {
		old := moved.Classes[i]
		if !near(c.Rate, old.Rate) || !near(c.MeanPrice(), old.MeanPrice()) || !near(c.MeanDecay(), old.MeanDecay()) ||
			!near(c.Demand.Price, old.Demand.Price) || !near(c.Demand.Rate, old.Demand.Rate) {
			t.Errorf("class %s read again: %+v %+v, want %+v %+v", c.Name, c, *c.Demand, old, *old.Demand)
		}
	}
}

// TestTraceDemand reads a demand of customers on a trace, moves a price, and reads
// what the encoder writes.
func TestTraceDemand(t *testing.T) {
	const text = `trace: {file: sp2-like}
classes:
  - name: a
    of: {width: [1, 8]}
    price: {per_unit_hour: 2}
    price_max: {per_unit_hour: 10}
    demand: {curve: exponential, elasticity: 1.5}
    decay: {per_hour: 10%}
  - name: b
    price: 5
`
	at := func(set string) (*Scenario, error) { return decodeText(text, mustParse(t, set)) }
	s, err := at("classes.a.price.per_unit_hour=3")
	if err != nil {
		t.Fatal(err)
	}
	a := s.Classes[0]
	if want := math.Exp(1.5 * (1 - 1.5)); !near(a.Rate, want) || !near(a.DecayOfPrice*3, 0.1/3600*2) ||
		!near(a.Demand.Max/a.Demand.Price, 5) {
		t.Errorf("%+v %+v, want a share of %g", a, *a.Demand, want)
	}
	var again bytes.Buffer
	if err := s.WriteYAML(&again); err != nil {
		t.Fatal(err)
	}
	back, err := decodeText(again.String())
	if err != nil {
		t.Fatalf("%v in\n%s", err, again.String())
	}
	if b := back.Classes[0]; !near(b.Rate, a.Rate) || !near(b.DecayOfPrice, a.DecayOfPrice) || !near(b.Demand.Max, a.Demand.Max) {
		t.Errorf("read again: %+v, want %+v", b, a)
	}
	_, err = at("classes.a.price=7")
	checkError(t, err, "--set classes.a.price=7: classes.a.price: expected a price of the kind of the class's own: per job, per_hour or per_unit_hour")
	_, err = at("classes.a.price_max.per_unit_hour=1")
	checkError(t, err, "--set classes.a.price_max.per_unit_hour=1: s.yaml:6:16: classes.a.price_max: expected at least the price of the class")
}

package scenario_test

import (
	"math"
	"testing"

	"revopt/model"
	"revopt/model/scenario"
)

// TestOtherGuesses: the overrides of a guess change its field as stated, in each way in which a scenario states it, and
// no other field.
func TestOtherGuesses(t *testing.T) {
	doc, err := scenario.Parse("site.yaml", []byte(`trace: {file: sp2-like}
pools: [{name: gpu, units: 8, unit: gpu, of: {partition: 2}}, {name: cpu, units: 48, unit: core}]
guessed: [price, grace, decay, max_penalty]
classes:
  - {name: a.b, of: {group: 1}, price: {per_unit_hour: {cpu: 1, gpu: 10}}, grace: {lengths: 1}, decay: {per_hour: 30%}, max_penalty: 0}
  - {name: "7", of: {group: 2}, price: {per_hour: 3}, grace: 60, decay: 0.5, max_penalty: none}
  - {name: c, price: 8, max_penalty: {of_price: 5%}}
`))
	if err != nil {
		t.Fatal(err)
	}
	stated, err := doc.Scenario(nil)
	if err != nil {
		t.Fatal(err)
	}
	near := func(x, y float64) bool { return math.Abs(x-y) <= 1e-9*math.Abs(y) }
	want := map[string]func(was, is model.Class, share float64) bool{
		"a fifth of the decay": func(was, is model.Class, _ float64) bool {
			return near(is.Decay, was.Decay/5) && near(is.DecayOfPrice, was.DecayOfPrice/5)
		},
		"five times the decay": func(was, is model.Class, _ float64) bool {
			return near(is.Decay, 5*was.Decay) && near(is.DecayOfPrice, 5*was.DecayOfPrice)
		},
		"penalties up to the price": func(_, is model.Class, _ float64) bool { return is.Floor == model.Floor{OfPrice: 1} },
		"no grace": func(was, is model.Class, _ float64) bool {
			return is.Grace.Of(1e6) <= 1 && is.Dated == was.Dated
		},
		"prices by the share of the work": func(was, is model.Class, share float64) bool {
			for i := range was.Terms {
				if !near(is.Terms[i].PerNodeSecond, share*was.Terms[i].PerNodeSecond) {
					return false
				}
			}
			return near(is.Price.Of(3600, 4), share*was.Price.Of(3600, 4))
		},
	}
	list := stated.OtherGuesses([]float64{60, 30, 0})
	if len(list) != len(want) {
		t.Fatalf("%d guesses, want %d", len(list), len(want))
	}
	for _, g := range list {
		at, err := doc.With(g.Set...)
		if err != nil {
			t.Fatal(g, err)
		}
		other, err := at.Scenario(nil)
		if err != nil {
			t.Fatal(g, err)
		}
		for i, share := range []float64{2, 1, 0} {
			was, is := stated.Classes[i], other.Classes[i]
			if !want[g.Words](was, is, share) {
				t.Errorf("%s: class %s has %+v, stated is %+v", g.Words, was.Name, is, was)
			}
		}
	}
	stated.Guessed = []string{"grace"}
	if list := stated.OtherGuesses([]float64{1, 1, 1}); len(list) != 1 || list[0].Words != "no grace" {
		t.Errorf("with grace alone guessed there are %v", list)
	}
}

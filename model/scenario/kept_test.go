package scenario

import (
	"fmt"
	"reflect"
	"testing"

	"revopt/model"
)

// TestKeptParts: a document with overrides is decoded as if nothing of its file were known, and classes and
// pools that no override touches are not read again.
func TestKeptParts(t *testing.T) {
	pooled, err := Parse("pooled", []byte(`load: 0.8
arrivals: {bursts: {on: 10m, off: 1h, ratio: 5}}
pools: [{name: cpu, units: 64}, {name: gpu, units: 8, unit: gpu}]
classes:
  - {name: a, pool: cpu, share: 60%, length: {mean: 900, sd: 100}, width: {values: [4, 32], weights: [0.5, 0.5]}, price: 3,
     demand: {curve: linear, elasticity: 1.5}, decay: 0.01}
  - {name: b, pool: gpu, share: 40%, length: {mean: 900, sd: 100}, width: 8, price: {per_hour: 2}, arrivals: poisson,
     slo: {within: 600, level: 0.9}}
`))
	if err != nil {
		t.Fatal(err)
	}
	docs := []*Document{pooled}
	for _, info := range Builtins() {
		doc, err := Builtin(info.Name)
		if err != nil {
			t.Fatal(err)
		}
		docs = append(docs, doc)
	}
	for _, doc := range docs {
		paths, err := doc.NumericPaths()
		if err != nil {
			t.Fatal(err)
		}
		var list []Override
		for _, path := range paths {
			x, _ := doc.Number(path)
			for _, factor := range []float64{0, 0.5, 2} {
				list = append(list, Override{Path: path, Value: fmt.Sprint(x * factor)})
			}
		}
		for _, path := range []string{"arrivals", "pools", "trace", "server", "classes"} {
			for _, value := range []string{"{renewal: {cv: 2}}", "[{name: a, units: 7000}]", "{nodes: 700}", "{file: sp2-like}"} {
				list = append(list, Override{Path: path, Value: value})
			}
		}
		for i, o := range list {
			changed, err := doc.With(o, list[i*7%len(list)])
			if err != nil {
				continue
			}
			got, bad := changed.decode(&decoder{file: doc.file})
			want, fault := changed.decode(&decoder{file: doc.file, numeric: func(string) {}}) // which keeps nothing
			if !reflect.DeepEqual(bad, fault) || !reflect.DeepEqual(got, want) {
				t.Errorf("%s, %v: got %+v, %v, want %+v, %v", doc.file, changed.overrides, got, bad, want, fault)
			}
		}
	}
	doc, err := Builtin("nist-four")
	if err != nil {
		t.Fatal(err)
	}
	changed, err := doc.With(Override{Path: "load", Value: "0.7"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := changed.Scenario(nil); err != nil {
		t.Fatal(err)
	}
	place := &cursor{n: changed.root.get("classes").items[2]}
	place.d = new(decoder)
	fits := func(*model.Class) bool { return true }
	if c, ok := changed.base.parts.take(place, new(Scenario), fits); !ok || c.Name == "" {
		t.Errorf("the third class is read again")
	}
}

package exact

import (
	"math"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"
)

type inner struct {
	A, B float64
}

type outer struct {
	inner // not exported: left out
	Inner inner
	Name  string
	N     int
	Seed  uint64
	Yes   bool
	List  []inner
	Deep  [][]float64
	Pair  [2]float64
	P     *float64
	Map   map[string]string
	Skip  func() `save:"-"`
}

// TestRoundTrip reads back whatever is written, with numbers to the bit.
func TestRoundTrip(t *testing.T) {
	special := []float64{math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 0, math.SmallestNonzeroFloat64,
		math.MaxFloat64, 1e21, 0.1}
	r := rand.New(rand.NewPCG(1, 2))
	number := func() float64 {
		if r.IntN(2) == 0 {
			return special[r.IntN(len(special))]
		}
		return math.Float64frombits(r.Uint64() &^ (1 << 62)) // finite
	}
	texts := []string{"", "a", "\x1b[31m", "<&>\u2028", "ü", `"\`}
	for range 300 {
		v := outer{Inner: inner{number(), number()}, Name: texts[r.IntN(len(texts))], N: int(r.Int64()) - 1<<62,
			Seed: r.Uint64(), Yes: r.IntN(2) == 0, Pair: [2]float64{number(), number()}}
		if x := number(); r.IntN(2) == 0 {
			v.P = &x
		}
		if n := r.IntN(4); n > 0 {
			v.List, v.Deep, v.Map = []inner{}, [][]float64{nil, {}}, map[string]string{}
			for range n - 1 {
				v.List, v.Deep = append(v.List, inner{number(), number()}), append(v.Deep, []float64{number(), number()})
				v.Map[texts[r.IntN(len(texts))]] = "x"
			}
		}
		text := Marshal(v)
		var got outer
		if err := Unmarshal(text, &got); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
		if again := Marshal(got); string(again) != string(text) {
			t.Fatalf("%s became %s", text, again)
		}
		if (v.List == nil) != (got.List == nil) || (v.P == nil) != (got.P == nil) ||
			math.Signbit(v.Inner.A) != math.Signbit(got.Inner.A) && v.Inner.A == v.Inner.A {
			t.Fatalf("%+v became %+v", v, got)
		}
	}
}

// TestStrict refuses every other text for a value.
func TestStrict(t *testing.T) {
	for text, want := range map[string]string{
		`{"A":1,"B":2}`:                "",
		`{"A":1}`:                      "no field B",
		`{"B":1,"A":2}`:                "not in the form",
		`{"A":1,"B":2,"C":3}`:          `unknown field "C"`,
		`{"A":1,"A":1,"B":2}`:          "not in the form",
		`{"A":1.0,"B":2}`:              "not in the form",
		`{"A": 1,"B":2}`:               "not in the form",
		`{"A":1,"B":2} `:               "not in the form",
		`{"A":1,"B":2}{}`:              "is no exact.inner",
		`{"A":1,"B":1e999}`:            "is no float64",
		`{"A":1,"B":"Inf"}`:            "is no float64",
		`{"A":1,"B":null}`:             "is no float64",
		`{"A":1,"B":"1"}`:              "is no float64",
		`{"A":1,"B":[1]}`:              "is no float64",
		`[]`:                           "is no exact.inner",
		`{"A":1,"B":`:                  "is no exact.inner",
		``:                             "is no exact.inner",
		strings.Repeat("[", 1_000_000): "is no exact.inner",
	} {
		var v inner
		err := Unmarshal([]byte(text), &v)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%.40s: %v, want %q", text, err, want)
		}
	}
	for _, text := range []string{"[1]", "[1,2,3]", "null", "{}"} {
		if v := new([2]float64); Unmarshal([]byte(text), v) == nil {
			t.Errorf("%s is a pair", text)
		}
	}
	if reflect.TypeFor[outer]().NumField()-2 != len(types{}.fields(reflect.TypeFor[outer]())) {
		t.Error("fields that are not to be written are")
	}
}

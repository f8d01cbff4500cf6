package answer

import (
	"slices"

	"revopt/simulate/warn"
)

// Warn returns a warning of another package as a fact.
func Warn(w warn.Warning) Fact {
	f := New(w.Code)
	for _, v := range w.Values {
		value := Exactly(Unit(v.Unit), v.Number)
		if Unit(v.Unit) == Text {
			value = Word(v.Word)
		}
		f.Values = append(f.Values, Named{v.Name, value})
	}
	return f
}

// WarnAll returns warnings as facts, equal ones once.
func WarnAll(list []warn.Warning) []Fact {
	var facts []Fact
	for _, w := range list {
		f := Warn(w)
		if !slices.ContainsFunc(facts, f.Equal) {
			facts = append(facts, f)
		}
	}
	return facts
}

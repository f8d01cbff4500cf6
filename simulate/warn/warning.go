package warn

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"revopt/internal/text"
	"revopt/model/scenario"
)

// Warning is a fact that a reader of a result should know: a code of package plots/answer with
// the values that its sentence names.
type Warning struct {
	Code   string
	Values []Value
	Kind   scenario.WarningKind // of a warning of the scenario itself; "" is another warning
}

// Value is a word or a number with a name.
type Value struct {
	Name   string
	Unit   string // as in package plots/answer
	Word   string // of a text
	Number float64
}

// String returns the word or the number.
func (v Value) String() string {
	if v.Word != "" {
		return v.Word
	}
	return fmt.Sprint(v.Number)
}

// New returns a warning.
func New(code string, values ...Value) Warning { return Warning{Code: code, Values: values} }

// Ignored says that the formulas ignore a field of a scenario; the values say of what.
func Ignored(field string, of ...Value) Warning {
	return New("IGNORED", append([]Value{Words("field", field)}, of...)...)
}

// Words returns words with commas between them as a value.
func Words(name string, list ...string) Value {
	return Value{Name: name, Unit: "text", Word: strings.Join(list, ", ")}
}

// Count returns a number of things.
func Count[T int | int64 | float64](name string, n T) Value {
	return Value{Name: name, Unit: "count", Number: float64(n)}
}

// Share returns a part of 1, which people read in percent.
func Share(name string, x float64) Value { return Value{Name: name, Unit: "1", Number: x} }

// Ratio returns a number without a unit.
func Ratio(name string, x float64) Value { return Value{Name: name, Unit: "ratio", Number: x} }

// Sentence returns a warning whose sentence is there already.
func Sentence(code, words string) Warning { return New(code, Words("text", words)) }

// Ignores reports whether the formulas ignore one of the fields.
func (w Warning) Ignores(fields ...string) bool {
	return w.Code == "IGNORED" && slices.Contains(fields, w.Value("field").Word)
}

// Value returns the value of a name; it has no unit if there is none.
func (w Warning) Value(name string) Value {
	i := slices.IndexFunc(w.Values, func(v Value) bool { return v.Name == name })
	if i < 0 {
		return Value{}
	}
	return w.Values[i]
}

// About returns the warning about a part of a result, such as "analytic admission".
func (w Warning) About(scope string) Warning {
	w.Values = slices.Clone(w.Values)
	for i, v := range w.Values {
		switch v.Name {
		case "text":
			w.Values[i].Word = scope + ": " + v.Word
			return w
		case "scope":
			w.Values[i].Word = scope
			return w
		}
	}
	w.Values = append(w.Values, Words("scope", scope))
	return w
}

// String returns the sentence if it is there already, or the code and the values.
func (w Warning) String() string {
	if v := w.Value("text"); v.Unit != "" {
		return v.Word
	}
	return fmt.Sprint(w.Code, w.Values)
}

// AddIf appends a warning that holds.
func AddIf(list *[]Warning, holds bool, w Warning) {
	if holds {
		*list = append(*list, w)
	}
}

// Union appends the warnings that are not yet in list.
func Union(list, more []Warning) []Warning {
	for _, w := range more {
		same := func(old Warning) bool { return reflect.DeepEqual(old, w) }
		if !slices.ContainsFunc(list, same) {
			list = append(list, w)
		}
	}
	return list
}

// Scenario returns those of a scenario, with analytic ones only if these count.
func Scenario(sc *scenario.Scenario, analytic bool) []Warning {
	list := text.Where(sc.Warnings, func(w scenario.Warning) bool { return analytic || !w.Analytic })
	return text.Each(list, func(w scenario.Warning) Warning {
		said := Sentence(code(w.Kind), w.String())
		said.Kind = w.Kind
		return said
	})
}

// code returns that of a warning of a scenario.
func code(kind scenario.WarningKind) string {
	switch kind {
	case scenario.WarnNoLoss:
		return "NO_LOSS"
	case scenario.WarnLoad:
		return "OVERLOAD"
	case scenario.WarnGuess, scenario.WarnGuessed:
		return "GUESSED"
	}
	return "IGNORED"
}

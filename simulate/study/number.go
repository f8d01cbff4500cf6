package study

import (
	"encoding/json"
	"math"
)

const hour = 3600

// Number is a float64 that is null in JSON where it is not finite.
type Number float64

func (x Number) MarshalJSON() ([]byte, error) {
	if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(x))
}

// UnmarshalJSON implements json.Unmarshaler; null is NaN.
func (x *Number) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		*x = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(text, (*float64)(x))
}

// flag returns 1 for true.
func flag(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

// numberOf returns a value, or NaN if there is none.
func numberOf[T int | Number](x *T) float64 {
	if x == nil {
		return math.NaN()
	}
	return float64(*x)
}

// optional is the inverse of numberOf.
func optional[T int | Number](x float64) *T {
	if math.IsNaN(x) {
		return nil
	}
	y := T(x)
	return &y
}

// each is [text.Each] for functions that need the position of an element too.
func each[T, U any](list []T, f func(i int, x T) U) []U {
	out := make([]U, len(list))
	for i, x := range list {
		out[i] = f(i, x)
	}
	return out
}

// numbersOf returns a list as results state it.
func numbersOf(list []float64) []Number {
	return each(list, func(_ int, x float64) Number { return Number(x) })
}

package metric

import (
	"encoding/json"
	"math"
)

const Hour = 3600

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

// Indicator returns 1 for true.
func Indicator(yes bool) float64 {
	if yes {
		return 1
	}
	return 0
}

package logs

import (
	"bytes"
	"encoding/json"
	"slices"

	"revopt/simulate/metric"
)

// members is a JSON object whose members keep their order.
type members []member

type member struct {
	name  string
	value any
}

// object returns a JSON object of names and values, in their order. A float64 is a metric.Number.
func object(pairs ...any) members { return members(nil).with(pairs...) }

// with returns the object with more names and values.
func (o members) with(pairs ...any) members {
	for pair := range slices.Chunk(pairs, 2) {
		if x, ok := pair[1].(float64); ok {
			pair[1] = metric.Number(x)
		}
		o = append(o, member{pair[0].(string), pair[1]})
	}
	return o
}

// withIf is with if a condition holds.
func (o members) withIf(holds bool, pairs ...any) members {
	if !holds {
		return o
	}
	return o.with(pairs...)
}

func (o members) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	encoder := json.NewEncoder(&b) // which escapes are needed is up to its caller
	encoder.SetEscapeHTML(false)
	for i, m := range o {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := encoder.Encode(m.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := encoder.Encode(m.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

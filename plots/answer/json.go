package answer

import (
	"bytes"
	"encoding/json"
	"io"
	"strings"
)

// WriteJSON writes the answer for programs. Tables are lists of flat objects; an interval of column X is X_low and
// X_high. A number that does not exist is absent.
func (a Answer) WriteJSON(w io.Writer) error {
	text, err := json.Marshal(a)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, "", "  "); err != nil {
		return err
	}
	b.WriteByte('\n')
	_, err = w.Write(b.Bytes())
	return err
}

// object is a JSON object whose fields keep their order.
type object struct {
	names  []string
	values []any
}

func (o *object) add(name string, value any) {
	o.names = append(o.names, name)
	o.values = append(o.values, value)
}

// addValue adds a value that exists, with its interval.
func (o *object) addValue(name string, v Value) {
	switch v.Unit {
	case "":
		return
	case Text:
		o.add(name, v.Word)
		return
	case Truth:
		o.add(name, v.True)
		return
	}
	o.add(name, v.Number)
	if v.Random {
		o.add(name+"_low", v.Low)
		o.add(name+"_high", v.High)
	}
}

func (o object) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	b.WriteByte('{')
	for i, name := range o.names {
		if i > 0 {
			b.WriteByte(',')
		}
		for k, part := range []any{name, o.values[i]} {
			text, err := json.Marshal(part)
			if err != nil {
				return nil, err
			}
			if k > 0 {
				b.WriteByte(':')
			}
			b.Write(text)
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// named is an object of values. Those of names such as present.policy, which stand together, are an object in it.
func named(list []Named) object {
	var o, inner object
	for i, v := range list {
		of, name, nested := strings.Cut(v.Name, ".")
		if !nested {
			o.addValue(v.Name, v.Value)
			continue
		}
		inner.addValue(name, v.Value)
		if last := i == len(list)-1 || !strings.HasPrefix(list[i+1].Name, of+"."); last {
			o.add(of, inner)
			inner = object{}
		}
	}
	return o
}

// MarshalJSON implements json.Marshaler: the code, its values, and the sentence as text.
func (f Fact) MarshalJSON() ([]byte, error) {
	var o object
	o.add("code", f.Code)
	o.add("values", named(f.Values))
	o.add("text", f.String())
	return o.MarshalJSON()
}

// MarshalJSON implements json.Marshaler.
func (a Answer) MarshalJSON() ([]byte, error) {
	var o, tables, columns object
	for _, t := range a.Tables {
		tables.add(t.Name, t.objects())
		for _, c := range t.Columns {
			var about object
			about.add("unit", c.Unit)
			about.add("means", c.Means)
			about.addValue("bound", c.Bound)
			columns.add(t.Name+"."+c.Name, about)
		}
	}
	o.add("revopt", a.Version)
	o.add("commit", a.Commit)
	o.add("command", a.Command)
	o.add("line", a.Line)
	o.add("scenario", a.Scenario)
	o.add("seed", a.Seed)
	o.add("replications", a.Replications)
	o.add("level", a.Level)
	o.add("headline", a.Headline)
	o.add("values", named(a.Values))
	o.add("tables", tables)
	o.add("columns", columns)
	o.add("warnings", append([]Fact{}, a.Warnings...))
	return o.MarshalJSON()
}

// objects returns the rows of a table.
func (t Table) objects() []object {
	list := []object{}
	for _, row := range t.Rows {
		var o object
		for c, v := range row {
			o.addValue(t.Columns[c].Name, v)
		}
		list = append(list, o)
	}
	return list
}

package answer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"
)

// MaxSize is how many bytes an answer in a file may have.
const MaxSize = 256 << 20

// ReadError is a file that is no answer.
type ReadError struct{ Why string }

func (e *ReadError) Error() string { return e.Why }

// Read reads an answer that WriteJSON wrote. It renders as the one that was written, to the byte. Other files are a
// *ReadError.
func Read(r io.Reader) (Answer, error) {
	text, err := io.ReadAll(io.LimitReader(r, MaxSize+1))
	switch {
	case err != nil:
		return Answer{}, err
	case len(text) > MaxSize:
		return Answer{}, &ReadError{fmt.Sprintf("expected an answer of at most %d MB", MaxSize>>20)}
	}
	var a Answer
	err = json.Unmarshal(text, &a)
	if err == nil && a.Records != nil {
		err = unchanged(text)
	}
	if err != nil {
		return Answer{}, &ReadError{"expected an answer that revopt saved (--save): " + err.Error()}
	}
	return a, nil
}

// unchanged checks the sum of a saved answer.
func unchanged(text []byte) error {
	var b bytes.Buffer
	if err := json.Compact(&b, text); err != nil {
		return err
	}
	whole := b.Bytes()
	at := bytes.LastIndex(whole, []byte(sumField))
	if at < 0 || string(whole[at:]) != sealed(append(slices.Clone(whole[:at]), '}')) {
		return errors.New("the file is damaged, or was edited")
	}
	return nil
}

// stored is an answer in JSON, as far as it needs no care.
type stored struct {
	Version      string          `json:"revopt"`
	Commit       string          `json:"commit"`
	Command      string          `json:"command"`
	Line         string          `json:"line"`
	Scenario     string          `json:"scenario"`
	Seed         uint64          `json:"seed"`
	Replications int             `json:"replications"`
	Level        float64         `json:"level"`
	Ranges       bool            `json:"ranges"`
	Shown        []string        `json:"shown"`
	Headline     Fact            `json:"headline"`
	Values       json.RawMessage `json:"values"`
	Tables       json.RawMessage `json:"tables"`
	Columns      json.RawMessage `json:"columns"`
	Warnings     []Fact          `json:"warnings"`
	Source       string          `json:"source"`
	Records      json.RawMessage `json:"records"`
}

// UnmarshalJSON implements json.Unmarshaler.
func (a *Answer) UnmarshalJSON(text []byte) error {
	var s stored
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	if s.Version == "" || s.Command == "" || s.Tables == nil {
		return errors.New("no version, command or tables")
	}
	values, err := readValues(s.Values)
	if err != nil {
		return err
	}
	*a = Answer{Version: s.Version, Commit: s.Commit, Command: s.Command, Line: s.Line, Scenario: s.Scenario,
		Seed: s.Seed, Replications: s.Replications, Level: s.Level, Ranges: s.Ranges, Headline: s.Headline,
		Values: values, Warnings: s.Warnings, Source: s.Source, Records: s.Records}
	return a.readTables(s)
}

// UnmarshalJSON implements json.Unmarshaler. The fact keeps its sentence.
func (f *Fact) UnmarshalJSON(text []byte) error {
	var s struct {
		Code   string          `json:"code"`
		Values json.RawMessage `json:"values"`
		Text   string          `json:"text"`
	}
	if err := json.Unmarshal(text, &s); err != nil {
		return err
	}
	values, err := readValues(s.Values)
	*f = Fact{Code: s.Code, Values: values, said: s.Text}
	return err
}

// field is a field of an object.
type field struct {
	name  string
	value json.RawMessage
}

// fields returns those of an object in their order.
func fields(text json.RawMessage) ([]field, error) {
	if text == nil {
		return nil, nil
	}
	reader := json.NewDecoder(bytes.NewReader(text))
	if open, err := reader.Token(); err != nil || open != json.Delim('{') {
		return nil, fmt.Errorf("expected an object, got %.20q", []byte(text))
	}
	var list []field
	for reader.More() {
		name, err := reader.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := reader.Decode(&value); err != nil {
			return nil, err
		}
		list = append(list, field{name.(string), value}) // the decoder refuses other keys
	}
	return list, nil
}

// readValues returns values that no column describes: their units are not known.
func readValues(text json.RawMessage) ([]Named, error) {
	list, err := fields(text)
	if err != nil {
		return nil, err
	}
	var values []Named
	ends := map[string]float64{}
	for _, f := range list {
		var read any
		if err := json.Unmarshal(f.value, &read); err != nil {
			return nil, err
		}
		switch x := read.(type) {
		case map[string]any:
			inner, err := readValues(f.value)
			if err != nil {
				return nil, err
			}
			for _, v := range inner {
				values = append(values, Named{f.name + "." + v.Name, v.Value})
			}
		case string:
			values = append(values, Named{f.name, Word(x)})
		case bool:
			values = append(values, Named{f.name, Yes(x)})
		case float64:
			if isEnd(f.name, list) {
				ends[f.name] = x
				continue
			}
			values = append(values, Named{f.name, Exactly(Ratio, x)})
		}
	}
	for i := range values {
		low, known := ends[values[i].Name+"_low"]
		if known {
			values[i].Random, values[i].Low, values[i].High = true, low, ends[values[i].Name+"_high"]
		}
	}
	return values, nil
}

// isEnd reports whether a field is the end of the interval of another one.
func isEnd(name string, list []field) bool {
	for _, end := range []string{"_low", "_high"} {
		of, cut := strings.CutSuffix(name, end)
		if cut && slices.ContainsFunc(list, func(f field) bool { return f.name == of }) {
			return true
		}
	}
	return false
}

// readTables reads the tables with their columns.
func (a *Answer) readTables(s stored) error {
	tables, err := fields(s.Tables)
	if err != nil {
		return err
	}
	columns, err := fields(s.Columns)
	if err != nil {
		return err
	}
	for _, f := range tables {
		t := Table{Name: f.name, Shown: slices.Contains(s.Shown, f.name)}
		for _, column := range columns {
			name, of := strings.CutPrefix(column.name, f.name+".")
			if !of {
				continue
			}
			c, err := readColumn(name, column.value, s.Ranges)
			if err != nil {
				return fmt.Errorf("column %s: %w", column.name, err)
			}
			t.Columns = append(t.Columns, c)
		}
		if len(t.Columns) == 0 {
			return fmt.Errorf("table %s has no columns", f.name)
		}
		var rows []map[string]json.RawMessage
		if err := json.Unmarshal(f.value, &rows); err != nil {
			return fmt.Errorf("table %s: %w", f.name, err)
		}
		for _, fields := range rows {
			row, err := t.readRow(fields, s.Ranges)
			if err != nil {
				return fmt.Errorf("table %s: %w", f.name, err)
			}
			t.Rows = append(t.Rows, row)
		}
		a.Tables = append(a.Tables, t)
	}
	return nil
}

// readColumn reads what a column is.
func readColumn(name string, text json.RawMessage, ranges bool) (Column, error) {
	var about struct {
		Unit                                           Unit
		Means, Title, Limits                           string
		Signed, Quiet, Mark, Less, Drawn, Axis, Proven bool
	}
	var all map[string]json.RawMessage
	if err := errors.Join(json.Unmarshal(text, &about), json.Unmarshal(text, &all)); err != nil {
		return Column{}, err
	}
	bound, err := readValue("bound", about.Unit, all, ranges)
	if err != nil {
		return Column{}, err
	}
	gap, err := readValue("gap", Share, all, ranges)
	return Column{Name: name, Title: about.Title, Unit: about.Unit, Means: about.Means, Signed: about.Signed,
		Quiet: about.Quiet, Mark: about.Mark, Less: about.Less, Drawn: about.Drawn, Axis: about.Axis,
		Bound: bound, Gap: gap, Limits: about.Limits, Proven: about.Proven}, err
}

// readRow reads the values of a row.
func (t Table) readRow(fields map[string]json.RawMessage, ranges bool) ([]Value, error) {
	row := make([]Value, len(t.Columns))
	for i, c := range t.Columns {
		var err error
		row[i], err = readValue(c.Name, c.Unit, fields, ranges)
		if err != nil {
			return nil, err
		}
	}
	return row, nil
}

// readValue reads a field of an object with its interval. A field that is absent is a value that does not exist.
func readValue(name string, unit Unit, fields map[string]json.RawMessage, ranges bool) (Value, error) {
	text, known := fields[name]
	if !known {
		return Value{}, nil
	}
	v := Value{Unit: unit}
	var err error
	switch unit {
	case Text:
		err = json.Unmarshal(text, &v.Word)
	case Truth:
		err = json.Unmarshal(text, &v.True)
	default:
		err = json.Unmarshal(text, &v.Number)
	}
	low, random := fields[name+"_low"]
	if random && v.Numeric() {
		v.Random, v.Range = true, ranges
		err = errors.Join(err, json.Unmarshal(low, &v.Low), json.Unmarshal(fields[name+"_high"], &v.High))
	}
	if err != nil {
		return v, fmt.Errorf("%s: %w", name, err)
	}
	if math.IsNaN(v.Number) || !knownUnit(unit) {
		return v, fmt.Errorf("%s: no number, or of an unknown unit %q", name, unit)
	}
	return v, nil
}

// knownUnit reports whether values may have a unit.
func knownUnit(u Unit) bool {
	return slices.Contains([]Unit{Text, Truth, Money, Amount, Time, Rate, Share, Ratio, Count, Own}, u)
}

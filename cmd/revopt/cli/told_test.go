package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"

	"revopt/internal/text"
	"revopt/plots/answer"
)

// told runs a command with --json and returns its answer.
func told(t *testing.T, args ...string) answer.Answer {
	t.Helper()
	return readAnswer(t, must(t, append(slices.Clone(args), "--json")...))
}

// readAnswer reads the JSON of an answer as far as tests look at it.
func readAnswer(t *testing.T, printed string) answer.Answer {
	t.Helper()
	type fact struct {
		Code   string
		Values map[string]any
	}
	var s struct {
		Revopt, Scenario string
		Seed             uint64
		Replications     int
		Level            float64
		Headline         fact
		Values           map[string]any
		Tables           map[string][]map[string]any
		Columns          columns
		Warnings         []fact
	}
	if err := json.Unmarshal([]byte(printed), &s); err != nil {
		t.Fatal(err)
	}
	read := func(f fact) answer.Fact { return answer.Fact{Code: f.Code, Values: readValues("", f.Values)} }
	a := answer.Answer{Version: s.Revopt, Scenario: s.Scenario, Seed: s.Seed, Replications: s.Replications, Level: s.Level,
		Headline: read(s.Headline), Values: readValues("", s.Values), Warnings: text.Each(s.Warnings, read)}
	for _, name := range slices.Sorted(maps.Keys(s.Tables)) {
		table := answer.Table{Name: name}
		for _, c := range s.Columns {
			if short, own := strings.CutPrefix(c.Name, name+"."); own {
				table.Columns = append(table.Columns, answer.Column{Name: short, Unit: c.Unit})
			}
		}
		table.Rows = text.Each(s.Tables[name], func(row map[string]any) []answer.Value {
			return text.Each(table.Columns, func(c answer.Column) answer.Value { return readValue(row, c.Name, c.Unit) })
		})
		a.Tables = append(a.Tables, table)
	}
	return a
}

// columns are those of all tables, in their order.
type columns []answer.Column

// UnmarshalJSON implements json.Unmarshaler.
func (list *columns) UnmarshalJSON(printed []byte) error {
	reader := json.NewDecoder(bytes.NewReader(printed))
	_, err := reader.Token()
	for err == nil && reader.More() {
		var name json.Token
		var about struct{ Unit answer.Unit }
		name, err = reader.Token()
		err = errors.Join(err, reader.Decode(&about))
		*list = append(*list, answer.Column{Name: name.(string), Unit: about.Unit})
	}
	return err
}

// readValues reads values that no column describes. Those of an object have its name before their own.
func readValues(of string, fields map[string]any) (list []answer.Named) {
	for _, name := range slices.Sorted(maps.Keys(fields)) {
		if inner, nested := fields[name].(map[string]any); nested {
			list = append(list, readValues(name+".", inner)...)
			continue
		}
		list = append(list, readValue(fields, name, answer.Ratio).As(of+name))
	}
	return list
}

// readValue reads a field of an object with its interval.
func readValue(fields map[string]any, name string, unit answer.Unit) answer.Value {
	switch x := fields[name].(type) {
	case string:
		return answer.Word(x)
	case bool:
		return answer.Yes(x)
	case float64:
		v := answer.Exactly(unit, x)
		if low, random := fields[name+"_low"].(float64); random {
			v.Random, v.Low, v.High = true, low, fields[name+"_high"].(float64)
		}
		return v
	}
	return answer.Value{}
}

// value returns a value of a row of a table.
func value(t *testing.T, a answer.Answer, table string, row int, column string) answer.Value {
	t.Helper()
	rows, _ := a.Table(table)
	i := slices.IndexFunc(rows.Columns, func(c answer.Column) bool { return c.Name == column })
	if i < 0 || row >= len(rows.Rows) {
		t.Fatalf("no row %d or no column %s of %s, which has %d rows", row, column, table, len(rows.Rows))
	}
	return rows.Rows[row][i]
}

// number returns a number of a row of a table.
func number(t *testing.T, a answer.Answer, table string, row int, column string) float64 {
	t.Helper()
	v := value(t, a, table, row, column)
	if !v.Numeric() {
		t.Fatalf("%s of row %d of %s is %+v", column, row, table, v)
	}
	return v.Number
}

// texts returns a column of words.
func texts(t *testing.T, a answer.Answer, table, column string) (list []string) {
	t.Helper()
	rows, _ := a.Table(table)
	for i := range rows.Rows {
		list = append(list, value(t, a, table, i, column).Word)
	}
	return list
}

// codes returns those of the warnings.
func codes(a answer.Answer) []string {
	return text.Each(a.Warnings, func(f answer.Fact) string { return f.Code })
}

// fact returns a value beside the tables; one that does not exist if there is none.
func fact(a answer.Answer, name string) answer.Value {
	return answer.Fact{Values: a.Values}.Value(name)
}

// wantWords checks that a text has some words and lacks others.
func wantWords(t *testing.T, text string, has []string, lacks ...string) {
	t.Helper()
	for _, words := range has {
		if !strings.Contains(text, words) {
			t.Errorf("no %q in\n%s", words, text)
		}
	}
	for _, words := range lacks {
		if strings.Contains(text, words) {
			t.Errorf("%q in\n%s", words, text)
		}
	}
}

package cli

import (
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

func readAnswer(t *testing.T, text string) answer.Answer {
	t.Helper()
	a, err := answer.Read(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	return a
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

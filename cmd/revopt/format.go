package main

import (
	"io"

	"revopt/internal/text"
)

// table is a table in columns, the first flush left and the others flush right.
type table struct{ text text.Table }

func newTable(header ...string) *table {
	t := new(table)
	t.row(header...)
	return t
}

func (t *table) row(cells ...string) { t.text.Row(cells...) }

func (t *table) print(w io.Writer) { t.text.Print(w) }

// The formats of package text, under the names that this package uses.

func decimals(x float64) int                     { return text.Decimals(x) }
func column(values []float64) []string           { return text.Column(values) }
func grouped(x float64) string                   { return text.Grouped(x) }
func separated(x float64, decimals int) string   { return text.Fixed(x, decimals) }
func plain(x float64) string                     { return text.Plain(x) }
func percent(x float64) string                   { return text.Percent(x) }
func duration(seconds float64) string            { return text.Duration(seconds) }
func timeUnit(seconds float64) (float64, string) { return text.TimeUnit(seconds) }
func short(x float64) string                     { return text.Short(x) }
func plural(n int, thing string) string          { return text.Plural(n, thing) }
func oneLine(s string) string                    { return text.OneLine(s) }
func field(x number) string                      { return text.Field(float64(x)) }

// ratio formats a part of a whole as per cent.
func ratio(part, whole float64) string { return percent(part / whole) }

func fields(values ...number) []string {
	list := make([]string, len(values))
	for i, x := range values {
		list[i] = field(x)
	}
	return list
}

package answer

import "revopt/internal/text"

// Markdown returns some columns of a table for a document.
func (t Table) Markdown(columns []int) string {
	var list *text.Table
	for r, row := range t.cells() {
		words := text.Each(columns, func(c int) string { return text.Cut(text.OneLine(row[c])) })
		if r == 0 {
			list = text.NewTable(words...)
		} else {
			list.Row(words...)
		}
	}
	return list.Markdown()
}

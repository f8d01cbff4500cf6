//go:build !js

package answer

import (
	"bytes"
	_ "embed"
	"html/template"
	"io"
	"strings"

	"revopt/internal/text"
	"revopt/plots/page"
)

//go:embed answer.html
var pageText string

// view is what the template of the page fills in.
type view struct {
	Answer
	Asked  string
	Labels []string
	Shown  []pageTable
	Drawn  []picture
	Facts  []pageFact
}

// pageTable is a table of a page, as words.
type pageTable struct {
	Name string
	Head []string
	Rows [][]string
	Main bool // the first one
}

// pageFact is one line of how the page was made.
type pageFact struct{ Name, Value string }

// WriteHTML writes the answer as one page that needs no other file and loads nothing.
func (a Answer) WriteHTML(w io.Writer) error {
	script, hash := page.Script()
	t, err := template.New("answer").Funcs(template.FuncMap{
		"style": page.Style, "script": func() template.HTML { return script },
		"security": func() string {
			return "default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src" + hash
		},
		"unbroken": func(s string) string { return strings.ReplaceAll(s, " %", "\u00a0%") }, // stays with its number
	}).Parse(pageText)
	if err != nil {
		return err
	}
	a, labels := a.shortened()
	v := view{Answer: a, Asked: a.asked(), Labels: text.Each(labels, label.String), Facts: []pageFact{
		{"Command", a.Line}, {"Version", strings.TrimSpace(a.Version + " " + a.Commit)},
	}}
	for i, t := range a.Tables {
		if len(t.Rows) > 0 {
			v.Shown = append(v.Shown, t.forPage(i == 0))
		}
	}
	for _, fig := range a.Figures() {
		v.Drawn = append(v.Drawn, picture{fig})
	}
	var b bytes.Buffer
	if err := t.Execute(&b, v); err != nil {
		return err
	}
	_, err = w.Write(b.Bytes())
	return err
}

// forPage returns the table as a short text has it: with all its columns it would not fit on paper.
func (t Table) forPage(main bool) pageTable {
	rows := t.Told()
	return pageTable{Name: strings.ReplaceAll(t.Name, "_", " "), Main: main, Head: rows[0], Rows: rows[1:]}
}

package text

import (
	"strings"
	"sync"
	"text/template"
)

// Sentences are sentences with gaps, by their names.
type Sentences func() *template.Template

// NewSentences returns the sentences of a text, which is read when the first of them is
// said. A line "name: sentence" has each, and indented lines continue it. Gaps are those of
// package text/template, with functions that format values. Lines with # are comments.
func NewSentences(source string, format template.FuncMap) Sentences {
	return sync.OnceValue(func() *template.Template {
		all := template.New("").Funcs(format)
		for entry := range strings.SplitSeq(strings.ReplaceAll(strings.TrimSpace(source), "\n  ", " "), "\n") {
			if name, words, ok := strings.Cut(entry, ": "); ok && !strings.HasPrefix(entry, "#") {
				template.Must(all.New(name).Parse(words))
			}
		}
		return all
	})
}

// Say returns a sentence with its gaps filled from a value, and whether there is one of
// that name.
func (s Sentences) Say(name string, value any) (string, bool) {
	t := s().Lookup(name)
	if name == "" || t == nil {
		return "", false
	}
	var b strings.Builder
	if err := t.Execute(&b, value); err != nil {
		panic("text: " + err.Error())
	}
	return b.String(), true
}

package answer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"revopt/internal/text"
)

// longLabel is how many characters the label of a policy may have in tables and sentences for people.
const longLabel = 40

// label is a long label of a policy, and a short one.
type label struct{ long, short string }

// String explains the short label: by the settings of its policy, or by the command of a program.
func (l label) String() string {
	name, settings, _ := strings.Cut(l.long, ":")
	if name == "exec" {
		return l.short + " is " + l.long
	}
	return l.short + " is " + name + " with " + strings.ReplaceAll(settings, ":", ", ")
}

// shortened returns the answer as people read it, with short labels in place of long ones, and these.
func (a Answer) shortened() (Answer, []label) {
	list := a.longLabels()
	if list == nil {
		return a, nil
	}
	var pairs []string
	for _, l := range slices.SortedFunc(slices.Values(list), func(a, b label) int { return cmp.Compare(len(b.long), len(a.long)) }) {
		pairs = append(pairs, l.long, l.short)
	}
	replace := strings.NewReplacer(pairs...).Replace
	value := func(v Value) Value {
		v.Word = replace(v.Word)
		return v
	}
	fact := func(f Fact) Fact {
		f.Values = text.Each(f.Values, func(n Named) Named { return Named{n.Name, value(n.Value)} })
		return f
	}
	a.Headline, a.Warnings = fact(a.Headline), text.Each(a.Warnings, fact)
	a.Tables = text.Each(a.Tables, func(t Table) Table {
		t.Rows = text.Each(t.Rows, func(row []Value) []Value { return text.Each(row, value) })
		return t
	})
	return a, list
}

// longLabels returns the labels of the policies of an answer that are too long, the present first.
func (a Answer) longLabels() []label {
	var list []label
	add := func(word, as string) {
		known := slices.ContainsFunc(list, func(l label) bool { return l.long == word })
		if utf8.RuneCountInString(word) <= longLabel || known {
			return
		}
		name, _, _ := strings.Cut(word, ":")
		list = append(list, label{word, name + " (" + cmp.Or(as, fmt.Sprint(len(list)+1)) + ")"})
	}
	const ofSite = "site"
	add(Fact{Values: a.Values}.Value("present.policy").Word, ofSite)
	for _, t := range a.Tables {
		policy, present := t.column("policy"), t.column("present")
		for _, row := range t.Rows {
			if policy >= 0 && present >= 0 && row[present].True {
				add(row[policy].Word, ofSite)
			}
		}
	}
	add(a.Headline.Value("policy").Word, "")
	for _, t := range a.Tables {
		if policy := t.column("policy"); policy >= 0 {
			for _, row := range t.Rows {
				add(row[policy].Word, "")
			}
		}
	}
	return list
}

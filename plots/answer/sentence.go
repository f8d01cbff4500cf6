package answer

import (
	"slices"
	"strings"
)

// Code is a headline or a warning as all answers have it.
type Code struct {
	Name string
	// Sentence has the names of values in braces. A part in brackets is left out where one of its values does not
	// exist.
	Sentence string
	Cause    string // when it is said
	Remedy   string // what to do about it; "" for a headline that is good news
}

// Lookup returns the code of a name and whether there is one.
func Lookup(name string) (Code, bool) {
	list := Codes()
	i := slices.IndexFunc(list, func(c Code) bool { return c.Name == name })
	if i < 0 {
		return Code{}, false
	}
	return list[i], true
}

// String returns the code with its sentence, its cause and its remedy, a line for each.
func (c Code) String() string {
	words := c.Name + ": " + c.Sentence + "\nCause: " + c.Cause
	if c.Remedy != "" {
		words += "\nRemedy: " + c.Remedy
	}
	return words
}

// String returns the sentence of a fact: that which it has as the value text, else that of its code, else its values as
// they are. The values scope and where, which warnings of all codes may have, say what it is about.
func (f Fact) String() string {
	if v := f.Value("text"); v.Known() {
		return v.Word
	}
	code, known := Lookup(f.Code)
	if !known {
		var words []string
		for _, v := range f.Values {
			words = append(words, v.words(false))
		}
		return strings.Join(words, " ")
	}
	return f.fill("[{scope}: ]" + code.Sentence + "[ ({where})]")
}

// fill puts values in their places.
func (f Fact) fill(sentence string) string {
	var b strings.Builder
	for sentence != "" {
		before, rest, optional := strings.Cut(sentence, "[")
		words, _ := f.replace(before)
		b.WriteString(words)
		if !optional {
			break
		}
		part, after, _ := strings.Cut(rest, "]")
		if words, whole := f.replace(part); whole {
			b.WriteString(words)
		}
		sentence = after
	}
	return b.String()
}

// replace puts values in their places, and reports whether all of them exist. A name that ends in a plus is that of a
// difference, which has a sign.
func (f Fact) replace(words string) (filled string, whole bool) {
	var b strings.Builder
	whole = true
	for {
		before, rest, more := strings.Cut(words, "{")
		b.WriteString(before)
		if !more {
			return b.String(), whole
		}
		name, after, _ := strings.Cut(rest, "}")
		name, signed := strings.CutSuffix(name, "+")
		v := f.Value(name)
		whole = whole && v.Known() && v != Word("")
		b.WriteString(v.words(signed))
		words = after
	}
}

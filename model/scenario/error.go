package scenario

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// Error says what is wrong with a scenario, and where.
type Error struct {
	File    string // file, built-in or override
	Line    int    // from 1; 0 where there is no position in a file
	Column  int    // from 1, in characters
	Path    string // field, such as classes.HvHu.decay; may be empty
	Message string // what was expected and what there is
}

// Error returns file:line:column: path: message, on one line.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.File)
	if e.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", e.Line, e.Column)
	}
	for _, part := range []string{e.Path, e.Message} {
		if part == "" {
			continue
		}
		if b.Len() > 0 {
			b.WriteString(": ")
		}
		b.WriteString(part)
	}
	return oneLine(b.String())
}

// oneLine escapes everything in s that would not print on one line.
func oneLine(s string) string {
	unprintable := func(r rune) bool { return !unicode.IsPrint(r) }
	if strings.IndexFunc(s, unprintable) < 0 {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if unprintable(r) {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// quote returns s in quotes, cut where it is long.
func quote(s string) string {
	const most = 60
	if runes := []rune(s); len(runes) > most {
		s = string(runes[:most]) + "..."
	}
	return strconv.Quote(s)
}

// oneOf lists words: "a", "a or b", "a, b or c".
func oneOf(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	last := len(words) - 1
	return strings.Join(words[:last], ", ") + " or " + words[last]
}

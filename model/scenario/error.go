package scenario

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"revopt/internal/removed"
)

// Error is an error in a scenario, with its position.
type Error struct {
	File    string // file, built-in or override
	Line    int    // from 1; 0 if there is no position in a file
	Column  int    // from 1, in characters
	Path    string // field, such as classes.HvHu.decay; may be empty
	Message string // what was expected and what was given
	Trace   bool   // the file is a trace

	Removed removed.Entry // of the field at Path, which an earlier version had; then there is no Message
}

// Error returns file:line:column: path: message, on one line, or that the field was removed.
func (e *Error) Error() string {
	place := e.File
	if e.Line > 0 {
		place = fmt.Sprintf("%s:%d:%d", e.File, e.Line, e.Column)
	}
	what := e.Path
	if e.Removed.Name != "" {
		what = e.Removed.String()
	}
	parts := slices.DeleteFunc([]string{place, what, e.Message}, func(part string) bool { return part == "" })
	return oneLine(strings.Join(parts, ": "))
}

// oneLine escapes the characters of s that do not print on one line.
func oneLine(s string) string {
	var b strings.Builder
	for _, r := range s {
		if unicode.IsPrint(r) {
			b.WriteRune(r)
		} else {
			q := strconv.QuoteRune(r)
			b.WriteString(q[1 : len(q)-1])
		}
	}
	return b.String()
}

// quote returns s in quotes, shortened if it is long.
func quote(s string) string { return strconv.Quote(shortened(s, 60)) }

// shortened cuts a text after the given number of characters.
func shortened(s string, most int) string {
	if runes := []rune(s); len(runes) > most {
		return string(runes[:most]) + "..."
	}
	return s
}

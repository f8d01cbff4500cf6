package text

import (
	"bytes"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"
)

// MaxColumns is the largest width of a table or of a line of prose, in characters.
const MaxColumns = 100

// Page is text whose lines have at most so many characters.
type Page struct {
	bytes.Buffer
	Wide int
}

// Columns returns how many characters a line has.
func (p *Page) Columns() int { return p.Wide }

// columns returns how many characters a line on a writer has: as many as it says by a method Columns, else MaxColumns.
func columns(w io.Writer) int {
	if p, ok := w.(interface{ Columns() int }); ok {
		return p.Columns()
	}
	return MaxColumns
}

// Print writes a sentence in lines that are as long as those of the writer. Lines after the first are indented.
func Print(w io.Writer, sentence string, indent int) {
	space := strings.Repeat(" ", indent)
	fmt.Fprintln(w, strings.Join(Wrapped(sentence, columns(w)-indent), "\n"+space))
}

// Fitted returns the text with lines that are too long broken at spaces. Further lines begin below the text of the
// first one, after its name if it has one. Tables fit without it: a long line is prose, or a
// command, which stays whole. Lines of MaxColumns characters are broken where they are made.
func (p *Page) Fitted() string {
	if p.Wide >= MaxColumns {
		return p.String()
	}
	lines := strings.Split(p.String(), "\n")
	for i, line := range lines {
		command := strings.HasPrefix(strings.TrimLeft(line, " "), "revopt ") // to be copied
		if utf8.RuneCountInString(line) <= p.Wide || command {
			continue
		}
		name, body := label(line)
		space := "\n" + strings.Repeat(" ", utf8.RuneCountInString(name))
		lines[i] = name + strings.Join(Wrapped(body, p.Wide+1-len(space)), space)
	}
	return strings.Join(lines, "\n")
}

// label divides a line into its indentation, with a short name before two spaces, and its text.
func label(line string) (name, body string) {
	const most = 20
	body = strings.TrimLeft(line, " ")
	name = line[:len(line)-len(body)]
	if word, rest, ok := strings.Cut(body, "  "); ok && utf8.RuneCountInString(word) < most {
		body = strings.TrimLeft(rest, " ")
		name = line[:len(line)-len(body)]
	}
	return name, body
}

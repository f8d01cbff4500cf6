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

// Columns returns how many characters a line on a writer has: as many as it says by a method Columns, else MaxColumns.
func Columns(w io.Writer) int {
	if p, ok := w.(interface{ Columns() int }); ok {
		return p.Columns()
	}
	return MaxColumns
}

// Print writes a sentence in lines that are as long as those of the writer. Lines after the first are indented.
func Print(w io.Writer, sentence string, indent int) {
	space := strings.Repeat(" ", indent)
	fmt.Fprintln(w, strings.Join(Wrapped(sentence, Columns(w)-indent), "\n"+space))
}

// Fitted returns the text with lines that are too long broken at spaces, below the first word of the line. Tables fit
// without it: a long line is prose, or a command, which stays whole.
func (p *Page) Fitted() string {
	lines := strings.Split(p.String(), "\n")
	for i, line := range lines {
		command := strings.HasPrefix(strings.TrimLeft(line, " "), "revopt ") // to be copied
		if utf8.RuneCountInString(line) > p.Wide && !command {
			space := line[:len(line)-len(strings.TrimLeft(line, " "))]
			lines[i] = space + strings.Join(Wrapped(line, p.Wide-len(space)), "\n"+space)
		}
	}
	return strings.Join(lines, "\n")
}

package text

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// OneLine replaces every character that would not print on one line by a space:
// line feeds, and the escapes by which a name could command a terminal.
func OneLine(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) {
			return r
		}
		return ' '
	}, s)
}

// Distinct returns a name like the given one that was not seen, and marks it as seen.
func Distinct(name string, seen map[string]bool) string {
	for seen[name] {
		name = "the " + name
	}
	seen[name] = true
	return name
}

// Plural counts things.
func Plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%s %s", Fixed(float64(n), 0), thing)
}

// Unit returns the word for a unit of a machine as it is printed; "" is a node.
func Unit(word string) string {
	if word == "gpu" {
		return "GPU"
	}
	return cmp.Or(word, "node")
}

// OneOf lists words: "a", "a or b", "a, b or c".
func OneOf[S ~string](words []S) string {
	list := ""
	for i, word := range words {
		switch i {
		case 0:
		case len(words) - 1:
			list += " or "
		default:
			list += ", "
		}
		list += string(word)
	}
	return list
}

// Wrapped breaks a text at spaces into lines of at most so many characters.
func Wrapped(text string, width int) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > width {
			lines, line = append(lines, line), word
			continue
		}
		line = strings.TrimPrefix(line+" "+word, " ")
	}
	return append(lines, line)
}

// CSVText returns a cell of a CSV file that no spreadsheet takes for a formula:
// an apostrophe comes before a first character that begins one. Numbers stay as
// they are, so that all cells of a row may go through it.
//
// See OWASP, CSV Injection.
func CSVText(cell string) string {
	if cell == "" || !strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return cell
	}
	if _, err := strconv.ParseFloat(cell, 64); err == nil {
		return cell
	}
	return "'" + cell
}

// Cause returns what went wrong with a file, without its name.
func Cause(err error) string {
	var e *fs.PathError
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "no such file"
	case errors.Is(err, fs.ErrPermission):
		return "permission denied"
	case errors.As(err, &e):
		return e.Err.Error()
	}
	return err.Error()
}

// IsWord reports whether a text is one word of letters, digits, hyphens and underscores.
func IsWord(s string) bool {
	return s != "" && !strings.ContainsFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '-' && r != '_'
	})
}

// Quote returns a word of a file in quotes, for a message; a long word is cut.
func Quote(word []byte) string {
	const most = 40
	if len(word) > most {
		return fmt.Sprintf("%q...", word[:most])
	}
	return fmt.Sprintf("%q", word)
}

// ShellWord returns a word as a shell takes it.
func ShellWord(word string) string {
	if word == "" || strings.ContainsAny(word, " \t\n\"'`$&|;<>()[]{}*?!#~\\") {
		return ShellQuote(word)
	}
	return word
}

// ShellQuote returns a word in quotes, as a shell takes it.
func ShellQuote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }

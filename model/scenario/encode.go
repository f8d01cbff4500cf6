package scenario

import (
	"encoding/json"
	"io"
	"math"
	"strconv"
	"strings"

	"revopt/internal/text"
)

// encoder writes a scenario. It keeps the first error: a value that no file can state.
type encoder struct {
	path []string // of the field that is written
	err  error
}

func (e *encoder) fail(what string) {
	if e.err == nil {
		e.err = &Error{Path: strings.Join(e.path, "."), Message: "no scenario file can state " + what}
	}
}

// document writes a table as a whole file.
func (e *encoder) document(w io.Writer, t table) error {
	text := strings.Join(t.lines(e), "\n") + "\n"
	if e.err != nil {
		return e.err
	}
	_, err := io.WriteString(w, text)
	return err
}

// flowList returns a list on one line, "" if it is empty.
func flowList[T any](list []T, item func(T) string) string {
	if len(list) == 0 {
		return ""
	}
	return "[" + strings.Join(text.Each(list, item), ", ") + "]"
}

func numbers(x []float64) string { return flowList(x, formatNumber) }

// formatNumber returns the shortest text that is read as the same number.
func formatNumber(x float64) string { return strconv.FormatFloat(x, 'g', -1, 64) }

// digits returns a number with twelve digits, which hides rounding errors.
func digits(x float64) string { return strconv.FormatFloat(x, 'g', 12, 64) }

// format returns the text of a number; see per.
func (q quantity) format(x float64) string {
	switch {
	case q.whole:
		return strconv.FormatFloat(x, 'f', -1, 64)
	case q.per != 0:
		return inverse(x, q.per)
	}
	return formatNumber(x)
}

// inverse returns the text of a number that yields x when it is divided by unit,
// with twelve digits if they suffice.
func inverse(x, unit float64) string {
	y := x * unit
	for _, near := range []float64{rounded(y, y), y, math.Nextafter(y, 0), math.Nextafter(y, math.Inf(1))} {
		if near/unit == x {
			return formatNumber(near)
		}
	}
	return formatNumber(y)
}

// word returns a text as a scalar: as it is if that is safe, else in quotes.
func word(text string) string {
	unsafe := func(r rune) bool {
		return (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') &&
			!strings.ContainsRune("._-+%$", r)
	}
	if text != "" && !strings.ContainsFunc(text, unsafe) && !strings.ContainsAny(text[:1], "-+%.") {
		return text
	}
	return Quote(text)
}

// nameWord is word for a text that is never a number or another value.
func nameWord(text string) string {
	if n := (&node{kind: scalar, text: text}); n.null() || n.number() || n.boolean() {
		return Quote(text)
	}
	return word(text)
}

// Quote returns a text of one line as a YAML string, whatever characters it has.
func Quote(text string) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(text); err != nil {
		panic("scenario: " + err.Error())
	}
	return strings.TrimSpace(b.String())
}

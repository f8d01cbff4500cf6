package scenario

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// quantity describes the numbers that a field accepts.
type quantity struct {
	want  string // for messages
	unit  func(value float64, suffix string) (float64, bool)
	least float64
	most  float64 // 0 if there is no limit
	open  bool    // the limits themselves are excluded
	whole bool
	per   float64 // the field holds this multiple of the value; 0 is 1
}

// named returns the quantity with another text for messages.
func (q quantity) named(want string) quantity {
	q.want = want
	return q
}

// over returns the quantity of a field that holds the value times unit, as $/h for $/s.
func (q quantity) over(unit float64) quantity {
	q.per = unit
	return q
}

// The range of numbers that are read. Beyond maxWhole not every whole number is a
// float64. Products of a few numbers between tiny and huge do not overflow or vanish.
const (
	maxWhole = 1 << 53
	tiny     = 1e-18
	huge     = 1e18
)

var (
	amount    = quantity{want: "a number of at least 0", unit: plain}
	positive  = quantity{want: "a number above 0", unit: plain, open: true}
	loss      = quantity{want: "$ lost per second of delay, a number of at least 0", unit: plain}
	count     = quantity{want: "a whole number of at least 1", unit: plain, least: 1, most: maxWhole, whole: true}
	queueSize = quantity{want: "a whole number of at least 0", unit: plain, most: maxWhole, whole: true}
	slots     = quantity{
		want: "a number of at least 0.000001 such as 25 or 7.5", unit: plain, least: 1e-6, most: maxWhole,
	}
	duration     = quantity{want: "a time of at least 0 such as 90, 90s, 15m, 2h, 182d or 1w", unit: seconds}
	span         = quantity{want: "a time above 0 such as 90, 90s, 15m, 2h, 182d or 1w", unit: seconds, open: true}
	fraction     = quantity{want: "a fraction from 0 to 1 such as 0.1 or 10%", unit: percent, most: 1}
	openFraction = quantity{
		want: "a fraction above 0 and below 1 such as 0.9 or 90%",
		unit: percent, most: 1, open: true,
	}
	multiple = quantity{want: "a number of at least 0 such as 0.05 or 5%", unit: percent}
	factor   = quantity{want: "a factor above 0 such as 0.5 or 50%", unit: percent, open: true}
)

// isNumeric reports c as a numeric field, given or not; see NumericPaths.
func (c *cursor) isNumeric() {
	if c.d.numeric != nil {
		c.d.numeric(c.path())
	}
}

func (c *cursor) number(q quantity) float64 {
	c.isNumeric()
	if !c.given() || c.n.kind != scalar {
		c.expected(q.want)
		return 0
	}
	value, ok := q.parse(c.n.text)
	switch {
	case ok && c.n.quoted:
		c.fail("expected %s, got %s: leave out the quotes", q.want, c.n.describe())
	case !ok || !q.allows(value):
		c.expected(q.want)
	case value != 0 && math.Abs(value) < tiny, math.Abs(value) > huge:
		c.expected(q.want + ", from 1e-18 to 1e18 in size")
	}
	if q.per != 0 {
		value /= q.per
	}
	return value + 0 // never -0
}

// numberOr reads a quantity that has a default.
func (c *cursor) numberOr(q quantity, otherwise float64) float64 {
	if c.given() {
		return c.number(q)
	}
	c.isNumeric()
	return otherwise
}

// parse returns the value of a text, and whether it is finite and has a unit of q or none.
func (q quantity) parse(text string) (float64, bool) {
	digits, suffix := splitNumber(text)
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, false
	}
	value, known := q.unit(value, suffix)
	return value, known && !math.IsInf(value, 0)
}

func plain(value float64, suffix string) (float64, bool) { return value, suffix == "" }

func percent(value float64, suffix string) (float64, bool) {
	if suffix == "%" {
		return value / 100, true
	}
	return plain(value, suffix)
}

var timeUnits = map[string]float64{"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}

func seconds(value float64, suffix string) (float64, bool) {
	unit, ok := timeUnits[suffix]
	return value * unit, ok
}

func (q quantity) allows(value float64) bool {
	switch {
	case value < q.least, q.most > 0 && value > q.most:
		return false
	case q.open && (value == q.least || q.most > 0 && value == q.most):
		return false
	case q.whole && value != math.Trunc(value):
		return false
	}
	return true
}

// splitNumber splits a text after its longest beginning that is a decimal number,
// such as -1.5e3. The beginning is empty if there is none.
func splitNumber(text string) (digits, suffix string) {
	first := signEnd(text, 0)
	end := digitsEnd(text, first)
	places := end > first
	if end < len(text) && text[end] == '.' {
		after := digitsEnd(text, end+1)
		if places || after > end+1 {
			end, places = after, true
		}
	}
	if !places {
		return "", text
	}
	if end < len(text) && (text[end] == 'e' || text[end] == 'E') {
		power := signEnd(text, end+1)
		if after := digitsEnd(text, power); after > power {
			end = after
		}
	}
	return text[:end], text[end:]
}

// signEnd returns the place behind a sign, if there is one at a place.
func signEnd(text string, at int) int {
	if at < len(text) && (text[at] == '-' || text[at] == '+') {
		at++
	}
	return at
}

// digitsEnd returns the place behind the digits at a place.
func digitsEnd(text string, at int) int {
	for at < len(text) && text[at] >= '0' && text[at] <= '9' {
		at++
	}
	return at
}

// ParseTime reads a time of a scenario file, in seconds: 90, 90s, 15m, 2h, 182d or 1w.
func ParseTime(text string) (float64, error) {
	value, ok := duration.parse(text)
	if !ok || !duration.allows(value) || value > huge {
		return 0, fmt.Errorf("expected %s, got %q", duration.want, text)
	}
	return value, nil
}

// maxValues is the largest number of values of a parameter.
const maxValues = 100000

// ParseValues reads the values of a parameter: from:to:step, from:to:xN for N values,
// or numbers separated by commas. The text of the error is what was expected.
func ParseValues(text string) ([]float64, error) {
	if parts := strings.Split(text, ":"); len(parts) > 1 {
		return parseSpan(parts)
	}
	values, err := parseNumbers(strings.Split(text, ","))
	if err == nil && len(values) > maxValues {
		return nil, errTooMany
	}
	return values, err
}

var errTooMany = errors.New("at most " + strconv.Itoa(maxValues) + " values")

func parseNumbers(texts []string) ([]float64, error) {
	values := make([]float64, len(texts))
	for i, text := range texts {
		x, err := strconv.ParseFloat(strings.TrimSpace(text), 64)
		if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
			return nil, errors.New("numbers")
		}
		values[i] = x
	}
	return values, nil
}

// parseSpan reads from:to:step or from:to:xN.
func parseSpan(parts []string) ([]float64, error) {
	if len(parts) != 3 {
		return nil, errors.New("from:to:step")
	}
	count, counted := strings.CutPrefix(parts[2], "x")
	numbers, err := parseNumbers([]string{parts[0], parts[1], count})
	if err != nil {
		return nil, err
	}
	from, to, step := numbers[0], numbers[1], numbers[2]
	switch {
	case counted && (step < 2 || step > maxValues || step != math.Trunc(step)):
		return nil, errors.New("from 2 to " + strconv.Itoa(maxValues) + " values")
	case counted:
		return steps(from, to, (to-from)/(step-1), int(step)), nil
	case from == to:
		return []float64{from}, nil
	case !(step*(to-from) > 0):
		return nil, errors.New("a step that leads from the first value to the last")
	}
	// The end is one of the values even if rounding puts it a little beyond.
	n := math.Floor((to-from)/step+1e-9) + 1
	if n > maxValues {
		return nil, errTooMany
	}
	return steps(from, to, step, int(n)), nil
}

// steps returns n equally spaced values: 0.3 and not 0.30000000000000004.
func steps(from, to, step float64, n int) []float64 {
	values := make([]float64, n)
	for i := range values {
		x := from + float64(i)*step
		if math.Abs(x-to) < 1e-9*math.Abs(step) {
			x = to
		}
		values[i] = rounded(x, math.Max(math.Abs(from), math.Abs(to)))
	}
	return values
}

// rounded rounds x to the twelfth significant digit of scale.
func rounded(x, scale float64) float64 {
	if scale == 0 {
		return x
	}
	places := 11 - int(math.Floor(math.Log10(scale)))
	if places < 0 || places > 300 {
		return x
	}
	y, err := strconv.ParseFloat(strconv.FormatFloat(x, 'f', places, 64), 64)
	if err != nil {
		return x
	}
	return y
}

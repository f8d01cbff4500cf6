package scenario

import (
	"math"
	"strconv"
)

// quantity describes the numbers a field takes.
type quantity struct {
	want  string // for messages
	unit  func(value float64, suffix string) (float64, bool)
	least float64
	most  float64 // 0 where there is no limit
	open  bool    // the limits themselves are excluded
	whole bool
}

// maxWhole is the largest whole number read: beyond it not every whole number
// is a float64.
const maxWhole = 1 << 53

var (
	amount       = quantity{want: "a number of at least 0", unit: plain}
	loss         = quantity{want: "$ lost per second of delay, a number of at least 0", unit: plain}
	count        = quantity{want: "a whole number of at least 1", unit: plain, least: 1, most: maxWhole, whole: true}
	slots        = quantity{want: "a number above 0 such as 25 or 7.5", unit: plain, most: maxWhole, open: true}
	duration     = quantity{want: "a time of at least 0 such as 90, 90s, 15m, 2h, 182d or 1w", unit: seconds}
	span         = quantity{want: "a time above 0 such as 90, 90s, 15m, 2h, 182d or 1w", unit: seconds, open: true}
	fraction     = quantity{want: "a fraction from 0 to 1 such as 0.1 or 10%", unit: percent, most: 1}
	openFraction = quantity{want: "a fraction above 0 and below 1 such as 0.9 or 90%", unit: percent, most: 1, open: true}
	multiple     = quantity{want: "a number of at least 0 such as 0.05 or 5%", unit: percent}
	offeredLoad  = quantity{want: "a number above 0 such as 0.9 or 90%", unit: percent, open: true}
)

// isNumeric tells that there is, or could be, a number at c.
func (c *cursor) isNumeric() {
	if c.d.numeric != nil {
		c.d.numeric(c.path())
	}
}

// number reads a required quantity.
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
	}
	return value
}

// numberOr reads a quantity that has a default.
func (c *cursor) numberOr(q quantity, otherwise float64) float64 {
	if c.given() {
		return c.number(q)
	}
	c.isNumeric()
	return otherwise
}

// parse returns the value of a text, and whether it is a finite number with a
// unit of q or none.
func (q quantity) parse(text string) (float64, bool) {
	digits, suffix := splitNumber(text)
	value, err := strconv.ParseFloat(digits, 64)
	if err != nil {
		return 0, false
	}
	value, known := q.unit(value, suffix)
	return value, known && !math.IsInf(value, 0)
}

// plain takes no unit.
func plain(value float64, suffix string) (float64, bool) { return value, suffix == "" }

// percent takes a percent sign.
func percent(value float64, suffix string) (float64, bool) {
	if suffix == "%" {
		return value / 100, true
	}
	return plain(value, suffix)
}

// seconds takes the units of time.
func seconds(value float64, suffix string) (float64, bool) {
	const minute, hour, day = 60, 3600, 86400
	switch suffix {
	case "", "s":
		return value, true
	case "m":
		return value * minute, true
	case "h":
		return value * hour, true
	case "d":
		return value * day, true
	case "w":
		return value * 7 * day, true
	}
	return 0, false
}

func (q quantity) allows(value float64) bool {
	switch {
	case value < q.least, q.most > 0 && value > q.most:
		return false
	case q.open && (value == q.least || value == q.most):
		return false
	case q.whole && value != math.Trunc(value):
		return false
	}
	return true
}

// splitNumber splits a text after its longest beginning that is a decimal
// number, such as -1.5e3. The beginning is empty where there is none.
func splitNumber(text string) (digits, rest string) {
	i := 0
	if i < len(text) && (text[i] == '-' || text[i] == '+') {
		i++
	}
	start := i
	i = skipDigits(text, i)
	seen := i > start
	if i < len(text) && text[i] == '.' {
		after := skipDigits(text, i+1)
		seen = seen || after > i+1
		i = after
	}
	if !seen {
		return "", text
	}
	if i < len(text) && (text[i] == 'e' || text[i] == 'E') {
		exponent := i + 1
		if exponent < len(text) && (text[exponent] == '-' || text[exponent] == '+') {
			exponent++
		}
		if end := skipDigits(text, exponent); end > exponent {
			i = end
		}
	}
	return text[:i], text[i:]
}

func skipDigits(text string, i int) int {
	for i < len(text) && text[i] >= '0' && text[i] <= '9' {
		i++
	}
	return i
}

package scenario

import (
	"strconv"
	"strings"
)

// maxLast bounds the jobs that are kept in memory to find the last.
const maxLast = 1 << 22

const subsetWant = "all, last:N, first:N or from:T1:T2 (submit times)"

// subset reads which jobs of a trace are meant.
func (d *decoder) subset(c *cursor) Subset {
	if !c.given() {
		return Subset{}
	}
	if c.n.kind != scalar {
		c.expected(subsetWant)
		return Subset{}
	}
	s, err := ParseSubset(c.n.text)
	if err != nil {
		c.expected(subsetWant)
	}
	return s
}

// ParseSubset reads all, last:N, first:N or from:T1:T2, where the times are
// submit times of the trace, in seconds or with a unit, as in from:30d:60d.
func ParseSubset(text string) (Subset, error) {
	word, rest, _ := strings.Cut(text, ":")
	switch word {
	case "all":
		if text == word {
			return Subset{}, nil
		}
	case "first", "last":
		n, err := strconv.ParseInt(rest, 10, 64)
		switch {
		case err != nil || n < 1:
		case word == "first":
			return Subset{First: n}, nil
		case n <= maxLast:
			return Subset{Last: n}, nil
		}
	case "from":
		begin, end, _ := strings.Cut(rest, ":")
		from, ok := duration.parse(begin)
		to, also := duration.parse(end)
		if ok && also && from >= 0 && from < to {
			return Subset{From: from, To: to}, nil
		}
	}
	return Subset{}, &Error{Message: "expected " + subsetWant + ", got " + quote(text)}
}

package text

import (
	"strconv"
	"strings"
	"unicode"
)

// Provenance says where the numbers of a file come from.
type Provenance struct {
	Version  string  // of the program
	Scenario string  // name or path
	Seed     *uint64 // nil if nothing was random
	Cleaning string  // rule applied to the trace
	Command  string  // that made the file
	Extra    []Pair  // anything else, in this order
}

// A Pair is one named remark.
type Pair struct{ Key, Value string }

// Pairs returns what is known, in a fixed order, each on one line.
func (p Provenance) Pairs() []Pair {
	all := []Pair{{"version", p.Version}, {"scenario", p.Scenario}}
	if p.Seed != nil {
		all = append(all, Pair{"seed", strconv.FormatUint(*p.Seed, 10)})
	}
	all = append(all, Pair{"cleaning", p.Cleaning}, Pair{"command", p.Command})
	var known []Pair
	for _, kv := range append(all, p.Extra...) {
		kv.Key, kv.Value = Line(kv.Key), Line(kv.Value)
		if kv.Key != "" && kv.Value != "" {
			known = append(known, kv)
		}
	}
	return known
}

// TraceSum is the remark on the SHA-256 of a trace.
func TraceSum(sum string) Pair { return Pair{"trace_sha256", sum} }

// Line makes s printable on one line of a file: valid UTF-8, control characters and
// runs of white space become one space.
func Line(s string) string {
	s = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\ufffe' || r == '\uffff' {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(s, "?"))
	return strings.Join(strings.Fields(s), " ")
}

package scenario

import (
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/token"
)

// FuzzParse feeds any bytes to the reader. It returns within a moment, without
// a panic, a one-line *Error or a scenario that makes a valid system.
func FuzzParse(f *testing.F) {
	for _, info := range Builtins() {
		f.Add(builtinSource(info.Name))
	}
	for _, text := range []string{good, byRates, divided, partitioned, "", "---\n", "a: [", "{a: {b: [",
		"- - - a", "a: |\n  x\n", "0: |",
		"a: >-\n x\n\n y", "'a': \"\\u0000\"",
		"? a", "classes: [name: a]", "&a *a", "!!map {}", "a: 'x", "\xef\xbb\xbfa: 1\r\n", "classes: [{name: .nan, rate: 1e999}]"} {
		f.Add([]byte(text))
	}
	// The parser quotes the whole header of a block scalar in its message.
	f.Add([]byte("a: |" + strings.Repeat("L", 3000) + "\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		start := time.Now()
		s, err := parseAny(t, data)
		if d := time.Since(start); d > time.Minute {
			t.Errorf("took %v", d)
		}
		checkOutcome(t, s, err)
	})
}

// FuzzOverride overrides any field of a good scenario with anything.
func FuzzOverride(f *testing.F) {
	for _, path := range []string{"load", "classes.a.length.mean", "classes.1.price", "classes.a.max_penalty", "simulation", "a.b",
		"classes", "pools.gpu.units", "pools", ""} {
		f.Add(path, "1e300", "classes.b.length.mean", "1e-300")
	}
	f.Fuzz(func(t *testing.T, path1, value1, path2, value2 string) {
		for _, text := range []string{good, byRates, divided} {
			s, err := decodeText(text, Override{Path: path1, Value: value1, Source: "1"}, Override{Path: path2, Value: value2, Source: "2"})
			checkOutcome(t, s, err)
		}
	})
}

// TestExtremes overrides every pair of numeric fields with numbers at the ends
// of the range of float64.
func TestExtremes(t *testing.T) {
	extremes := []float64{0, 5e-324, 1e18, math.MaxFloat64}
	for _, text := range []string{good, byRates, divided} {
		doc, err := Parse("s.yaml", []byte(text))
		if err != nil {
			t.Fatal(err)
		}
		paths, err := doc.NumericPaths()
		if err != nil {
			t.Fatal(err)
		}
		for i, path := range paths {
			for _, other := range paths[:i] {
				for _, x := range extremes {
					for _, y := range extremes {
						changed, err := doc.With(Set(path, x), Set(other, y))
						if err != nil {
							t.Fatal(err)
						}
						s, err := changed.Scenario(nil)
						checkOutcome(t, s, err)
						if t.Failed() {
							t.Fatalf("%s=%g, %s=%g", path, x, other, y)
						}
					}
				}
			}
		}
	}
}

// checkOutcome checks that there is a one-line *Error or a scenario that makes
// a valid system of the same load.
func checkOutcome(t *testing.T, s *Scenario, err error) {
	t.Helper()
	if err != nil {
		var e *Error
		if !errors.As(err, &e) || strings.ContainsAny(err.Error(), "\n\r") || len(err.Error()) > 4096 {
			t.Errorf("error %T %q", err, err)
		}
		return
	}
	if s.Trace != nil || s.Grid != nil {
		return
	}
	for i := range s.Pools {
		if part := s.InPool(i); part.Classes != nil && part.System().Validate() != nil {
			t.Errorf("pool %d: %v", i, part.System().Validate())
		}
	}
	system := s.System()
	if err := system.Validate(); err != nil {
		t.Error(err)
	}
	if got := system.Load(); s.Load > 1e-200 && s.Load < 1e200 && !(math.Abs(got-s.Load) <= 1e-6*s.Load) {
		t.Errorf("load %g, of the system %g", s.Load, got)
	}
}

// parseAny parses and decodes data, and checks that the tree has every scalar
// of the text. It may have more: a block scalar without lines is one.
func parseAny(t *testing.T, data []byte) (*Scenario, error) {
	doc, err := Parse("s.yaml", data)
	if err != nil {
		return nil, err
	}
	text, err := checkText("s.yaml", data)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := doc.root.scalars(), scalarTokens(text); got < want {
		t.Errorf("the tree has %d scalars, the text %d", got, want)
	}
	return doc.Scenario(nil)
}

// scalars counts the keys and values below n, without absent values.
func (n *node) scalars() int {
	count := len(n.fields)
	if n.kind == scalar && (n.quoted || n.text != "null") {
		count++
	}
	for _, f := range n.fields {
		count += f.value.scalars()
	}
	for _, item := range n.items {
		count += item.scalars()
	}
	return count
}

// scalarTokens counts the scalars of a YAML text, without the word null.
func scalarTokens(text string) int {
	count := 0
	isKey := func(tk *token.Token) bool { return tk.Next != nil && tk.Next.Type == token.MappingValueType }
	for _, tk := range lexer.Tokenize(text) {
		switch tk.Type {
		case token.StringType, token.SingleQuoteType, token.DoubleQuoteType, token.BoolType, token.IntegerType, token.BinaryIntegerType,
			token.OctetIntegerType, token.HexIntegerType, token.FloatType, token.InfinityType, token.NanType:
			count++
		case token.NullType:
			if tk.Value != "null" || isKey(tk) {
				count++
			}
		}
	}
	return count
}

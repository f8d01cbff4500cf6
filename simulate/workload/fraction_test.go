package workload

import (
	"math"
	"strconv"
	"strings"
	"testing"
)

// TestFraction: short numbers are read as strconv reads them, to the bit, and others are left to it.
func TestFraction(t *testing.T) {
	for _, word := range strings.Fields("0 1 007 109.75 179.00 0.1 0.3 5. 0.000001 123456.78901234 3.14159265358979 " +
		"9999999999999999 99999999999999.9 1.0000000000001") {
		want, err := strconv.ParseFloat(word, 64)
		got, ok := fraction([]byte(word))
		if err != nil || !ok || math.Float64bits(got) != math.Float64bits(want) {
			t.Errorf("%s: got %g, want %g", word, got, want)
		}
	}
	for _, word := range []string{"", "-", ".", ".5", "-1", "1e3", "1x", "+1", "nan", "1.5.2", "12345678901234567"} {
		if got, ok := fraction([]byte(word)); ok {
			t.Errorf("%s: got %g, want nothing", word, got)
		}
	}
}

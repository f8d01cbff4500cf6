package text

import (
	"bytes"
	"encoding/csv"
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		f    func(float64) string
		x    float64
		want string
	}{
		{Grouped, 0, "0"},
		{Grouped, 75249.4, "75,249"},
		{Grouped, 1234567, "1,234,567"},
		{Grouped, 300.44, "300.4"},
		{Grouped, 0.00123456, "0.001235"},
		{Grouped, -1234, "-1,234"},
		{Grouped, 999.96, "1,000.0"},
		{Grouped, 1e18, "1.000e+18"},
		{Grouped, math.Inf(1), "infinite"},
		{Grouped, math.NaN(), "-"},
		{Percent, 0.8694, "86.9 %"},
		{Percent, -1e-12, "0.0 %"},
		{Percent, math.NaN(), "-"},
		{Plain, 0.30000000000000004, "0.3"},
		{Short, 1234.5, "1,234"},
		{Short, 0.12345, "0.123"},
		{Field, 0.30000000000000004, "0.30000000000000004"},
		{Field, math.Inf(-1), ""},
		{Field, math.NaN(), ""},
		{Duration, 0, "0 s"},
		{Duration, 1e-9, "< 1 ms"},
		{Duration, 0.0123, "0.0123 s"},
		{Duration, 75, "75.0 s"},
		{Duration, 600, "10.0 min"},
		{Duration, 4 * 3600, "4.00 h"},
		{Duration, 3.5 * 86400, "3.50 d"},
		{Duration, 1e9, "31.7 y"},
		{Duration, math.Inf(1), "infinite"},
		{Duration, math.NaN(), "-"},
	} {
		if got := tt.f(tt.x); got != tt.want {
			t.Errorf("%g: got %q, want %q", tt.x, got, tt.want)
		}
	}
	if one, two := Plural(1, "cell"), Plural(1200, "cell"); one != "1 cell" || two != "1,200 cells" {
		t.Errorf("%s, %s", one, two)
	}
}

func TestEstimate(t *testing.T) {
	for _, tt := range []struct {
		mean, half float64
		want       string
	}{
		{1234567.8, 12345, "1,234,568 ± 12,345"}, {83.14, 0.91, "83.14 ± 0.91"}, {0.012341, 0.00021, "0.01234 ± 0.00021"},
		{5, 0, "5.000"}, {-3.25, 0.5, "-3.25 ± 0.50"}, {math.NaN(), 1, "-"}, {12, math.Inf(1), "12.00"}, {12, math.NaN(),
			"12.00"}, {1000, 1e-9, "1,000"},
	} {
		if got := Estimate(tt.mean, tt.half, Digits(tt.mean, 6)); got != tt.want {
			t.Errorf("%g ± %g: %q, want %q", tt.mean, tt.half, got, tt.want)
		}
	}
}

func TestTable(t *testing.T) {
	table := NewTable("policy", "revenue")
	table.Row("hol\x1b[31m\nred", "1.5")
	table.Row("a name of more than forty characters is cut", "")
	var b bytes.Buffer
	table.Print(&b)
	want := "policy                                    revenue\nhol [31m red                                  1.5\na name of more than forty characters ...\n"
	if b.String() != want {
		t.Errorf("got\n%swant\n%s", b.String(), want)
	}
	columns := NewTable("a", "bb", "c")
	columns.Left = 2
	columns.Row("aaa", "b", "c|c")
	if got, want := columns.String(), "a    bb    c\naaa  b   c|c\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
	if got, want := columns.Markdown(), "|a|bb|c|\n|---|---|---:|\n|aaa|b|c\\|c|\n"; got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestWrapped(t *testing.T) {
	if got := Wrapped("one two  three\nfour", 9); !slices.Equal(got, []string{"one two", "three", "four"}) {
		t.Errorf("got %q", got)
	}
}

// TestCSVText checks that text is harmless in a spreadsheet and numbers stay
// numbers.
func TestCSVText(t *testing.T) {
	for cell, want := range map[string]string{
		"": "", "hol": "hol", "Libra+$": "Libra+$", "-1.5": "-1.5", "-1e-300": "-1e-300", "+2": "+2", "1-2": "1-2",
		`=HYPERLINK("x")`: `'=HYPERLINK("x")`, "-2+3+cmd|' /C calc'!A0": "'-2+3+cmd|' /C calc'!A0",
		"+SUM(A1)": "'+SUM(A1)", "@SUM(A1)": "'@SUM(A1)", "\t=1": "'\t=1", "-x": "'-x", "\r=1": "'\r=1",
	} {
		if got := CSVText(cell); got != want {
			t.Errorf("%q became %q, want %q", cell, got, want)
		}
	}
	var b bytes.Buffer
	w := csv.NewWriter(&b)
	w.Write(Each([]string{"=1", "-1", "b"}, CSVText))
	w.Flush()
	if b.String() != "'=1,-1,b\n" {
		t.Errorf("got %q", b.String())
	}
}

// FuzzCSVText checks that no cell but a number begins a formula.
func FuzzCSVText(f *testing.F) {
	f.Add("=1")
	f.Add("-1")
	f.Fuzz(func(t *testing.T, cell string) {
		got := CSVText(cell)
		if _, err := strconv.ParseFloat(got, 64); err != nil && got != "" && strings.ContainsRune("=+-@\t\r", rune(got[0])) {
			t.Errorf("%q", got)
		}
	})
}

func TestDidYouMean(t *testing.T) {
	known := []string{"load", "set", "seed", "growth", "hol", "HvHu", "--load", "exponential"}
	for word, want := range map[string]string{
		"laod": "load", "growht": "growth", "hlo": "hol", "sede": "seed", "hvhv": "HvHu", "-load": "load", "exponental": "exponential",
		"x": "", "": "", "phi": "", strings.Repeat("load", 9): "",
	} {
		if want != "" {
			want = "; did you mean " + want + "?"
		}
		if got := DidYouMean(word, known); got != want {
			t.Errorf("%q: %q, want %q", word, got, want)
		}
	}
}

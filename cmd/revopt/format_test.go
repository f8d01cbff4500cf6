package main

import (
	"encoding/json"
	"math"
	"slices"
	"testing"
)

func TestNumbers(t *testing.T) {
	for _, tt := range []struct {
		f    func(float64) string
		x    float64
		want string
	}{
		{grouped, 0, "0"},
		{grouped, 75249.4, "75,249"},
		{grouped, 1234567, "1,234,567"},
		{grouped, 300.44, "300.4"},
		{grouped, 0.00123456, "0.001235"},
		{grouped, -1234, "-1,234"},
		{grouped, 999.96, "1,000.0"},
		{grouped, 1e18, "1.000e+18"},
		{grouped, math.Inf(1), "infinite"},
		{grouped, math.NaN(), "-"},
		{percent, 0.8694, "86.9 %"},
		{percent, -1e-12, "0.0 %"},
		{percent, math.NaN(), "-"},
		{plain, 0.30000000000000004, "0.3"},
		{duration, 0, "0 s"},
		{duration, 1e-9, "< 1 ms"},
		{duration, 0.0123, "0.0123 s"},
		{duration, 75, "75.0 s"},
		{duration, 600, "10.0 min"},
		{duration, 4 * 3600, "4.00 h"},
		{duration, 3.5 * 86400, "3.50 d"},
		{duration, 1e9, "31.7 y"},
		{duration, math.Inf(1), "infinite"},
		{duration, math.NaN(), "-"},
	} {
		if got := tt.f(tt.x); got != tt.want {
			t.Errorf("%g: got %q, want %q", tt.x, got, tt.want)
		}
	}
	if got := column([]float64{1, 20.5, 0, 1234.5, math.NaN()}); !slices.Equal(got, []string{"1", "20", "0", "1,234", "-"}) {
		t.Errorf("got %q", got)
	}
}

func TestNumberJSON(t *testing.T) {
	got, err := json.Marshal([]number{1.5, number(math.Inf(1)), number(math.NaN())})
	if err != nil || string(got) != "[1.5,null,null]" {
		t.Errorf("%s, %v", got, err)
	}
}

func TestCommandLine(t *testing.T) {
	got := commandLine([]string{"solve", "a b", "--set", "x={y: 'z'}", ""})
	if want := `revopt solve 'a b' --set 'x={y: '\''z'\''}' ''`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	// What changes no result is not on record.
	got = commandLine([]string{"figure", "--workers", "3", "nist-02", "-q", "--workers=4", "--quick", "--quiet", "--", "--quiet"})
	if want := "revopt figure nist-02 --quick -- --quiet"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

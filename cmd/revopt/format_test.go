package main

import (
	"encoding/json"
	"math"
	"testing"
)

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

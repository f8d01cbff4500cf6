package scenario

import (
	"errors"
	"os"
	"strings"
	"testing"
)

// decodeText parses and decodes a scenario given as text.
func decodeText(text string, overrides ...Override) (*Scenario, error) {
	doc, err := Parse("s.yaml", []byte(text))
	if err != nil {
		return nil, err
	}
	if doc, err = doc.With(overrides...); err != nil {
		return nil, err
	}
	return doc.Scenario(nil)
}

// checkError checks the whole line of an error.
func checkError(t *testing.T, err error, want string) {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) {
		t.Fatalf("error %v is a %T, want an *Error: %s", err, err, want)
	}
	if got := e.Error(); got != want {
		t.Errorf("error\n got %s\nwant %s", got, want)
	}
}

// good is the scenario that the bad ones differ from in one place.
const good = `name: test
server: {nodes: 100, residual: pooled}
load: 0.9
phi: 1
simulation: {jobs: 1000, warmup: 5%, replications: 3}
classes:
  - name: a
    share: 0.25
    length: {dist: normal, mean: 100, sd: 30, min: 10}
    width: 10
    price: 50
    decay: 1
    grace: 20
    max_penalty: {of_price: 5%}
    expire: zero
    slo: {within: 1m, level: 0.9}
  - name: b
    share: 0.75
    length: {dist: exponential, mean: 60}
    price: {per_hour: 100}
`

// TestErrors checks the whole line of every error in testdata/errors.txt.
func TestErrors(t *testing.T) {
	file, err := os.ReadFile("testdata/errors.txt")
	if err != nil {
		t.Fatal(err)
	}
	var group, old, text string
	for line := range strings.Lines(string(file)) {
		kind, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		lines := strings.ReplaceAll(value, `\n`, "\n")
		switch kind {
		case "==":
			group = value
		case "-":
			old = lines
		case "+":
			text = lines
		case "!":
			t.Run(group+" "+text, func(t *testing.T) { checkError(t, errorOf(t, group, old, text), value) })
			old = ""
		}
	}
}

// errorOf returns the error of a case of testdata/errors.txt.
func errorOf(t *testing.T, group, old, text string) (err error) {
	base := map[string]string{"classes": good, "demand": shop, "pools": divided, "partitions": partitioned,
		"trace": goodTrace, "customers": customers}[group]
	if !strings.Contains(base, old) {
		t.Fatalf("%q is not in the base document", old)
	}
	switch base = strings.Replace(base, old, text, 1); group {
	case "sweep":
		_, err = sweepOf(t, text)
	case "set":
		_, err = decodeText(good, mustParse(t, text))
	case "classes", "demand", "pools":
		_, err = decodeText(base)
	default:
		_, err = decodeTrace(base)
	}
	return err
}

package analytic

import (
	"context"
	"testing"

	"revopt/model/scenario"
	"revopt/simulate/subject"
)

// opened opens a scenario of the given text.
func opened(t testing.TB, text string, overrides ...scenario.Override) *subject.Subject {
	t.Helper()
	doc, err := parsed(t, text).With(overrides...)
	if err != nil {
		t.Fatal(err)
	}
	s, err := subject.Open(context.Background(), doc, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// parsed reads a scenario.
func parsed(t testing.TB, text string) *scenario.Document {
	t.Helper()
	doc, err := scenario.Parse("test.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

package cli

import (
	"strings"
	"testing"
)

// wantWords checks that a text has some words and lacks others.
func wantWords(t *testing.T, text string, has []string, lacks ...string) {
	t.Helper()
	for _, words := range has {
		if !strings.Contains(text, words) {
			t.Errorf("no %q in\n%s", words, text)
		}
	}
	for _, words := range lacks {
		if strings.Contains(text, words) {
			t.Errorf("%q in\n%s", words, text)
		}
	}
}

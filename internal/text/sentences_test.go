package text

import "testing"

// TestSentences says sentences by name: with gaps, on several lines, and none that is not there.
func TestSentences(t *testing.T) {
	s := NewSentences("# a comment: with a colon\nfew: only {{.}} jobs\nlong: {{twice .}} is\n  twice as: much\n",
		map[string]any{"twice": func(n int) int { return 2 * n }})
	for name, want := range map[string]string{"few": "only 3 jobs", "long": "6 is twice as: much", "": "", "other": ""} {
		if got, ok := s.Say(name, 3); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v, want %q", name, got, ok, want)
		}
	}
}

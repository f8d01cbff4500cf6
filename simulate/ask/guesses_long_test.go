//go:build long

package ask

import "testing"

// TestOneBestOfThirty: see oneBest. Among the answers are some of each kind.
func TestOneBestOfThirty(t *testing.T) {
	codes := map[string]int{}
	for seed := range uint64(30) {
		for code, n := range oneBest(t, seed) {
			codes[code] += n
		}
	}
	t.Log(codes)
	for _, code := range []string{"DEPENDS_ON_GUESSES", "PRESENT_IS_BEST", "BEST_WITHOUT_HARM", "BEST_CHANGE"} {
		if codes[code] == 0 {
			t.Errorf("no answer has the headline %s", code)
		}
	}
}

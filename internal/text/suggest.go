package text

import (
	"strings"

	"github.com/xrash/smetrics"
)

// DidYouMean returns "; did you mean x?" for the known word that is nearest to a
// misspelled word, or "" if none is near. The distance counts insertions,
// deletions and replacements and ignores case; near is at most a third of the
// word, plus one.
func DidYouMean(word string, known []string) string {
	best, least := "", min(len(word)/3+1, len(word)-1)
	for _, k := range known {
		if d := len(k) - len(word); d > least || -d > least {
			continue
		}
		d := smetrics.WagnerFischer(strings.ToLower(word), strings.ToLower(k), 1, 1, 1)
		if d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

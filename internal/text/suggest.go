package text

import (
	"fmt"
	"slices"
	"strings"
)

// Few returns the words that a message lists: the first ones and the number of all if
// there are more than a line holds.
func Few(words []string) []string {
	if len(words) <= 30 {
		return words
	}
	return append(slices.Clone(words[:8]), fmt.Sprintf("... (%d in all)", len(words)))
}

// DidYouMean returns "; did you mean x?" for the known word nearest to a misspelled one, "" if none is
// near: within a third of the word, plus one; case does not count.
func DidYouMean(word string, known []string) string {
	best, least := "", min(len(word)/3+1, len(word)-1)
	for _, k := range known {
		if d := distance(strings.ToLower(word), strings.ToLower(k)); d <= least && (best == "" || d < least) {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// Misspelled reports whether a word of at least four letters is one mistake, or case, away from a known word.
func Misspelled(word string, known []string) bool {
	return len(word) > 3 && slices.ContainsFunc(known, func(k string) bool {
		return word != k && distance(strings.ToLower(word), strings.ToLower(k)) <= 1
	})
}

// distance returns the insertions, deletions, replacements and swaps of neighbors that turn a into b
// (optimal string alignment), unless their lengths are very different.
func distance(a, b string) int {
	if d := len(a) - len(b); d > 8 || d < -8 {
		return len(a) + len(b)
	}
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		for j := range rows[i] {
			if i == 0 || j == 0 {
				rows[i][j] = i + j
				continue
			}
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}

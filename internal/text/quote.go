package text

import "fmt"

// Quote returns a word of a file in quotes, for a message; a long word is cut.
func Quote(word []byte) string {
	const most = 40
	if len(word) > most {
		return fmt.Sprintf("%q...", word[:most])
	}
	return fmt.Sprintf("%q", word)
}

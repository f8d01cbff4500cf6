package steering

import (
	"fmt"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/slurm/steer"
)

// Undone says what became of the factors that were to be restored.
func Undone(list []steer.Change) string {
	ended := text.Count(list, func(c steer.Change) bool { return c.Ended })
	foreign := text.Count(list, func(c steer.Change) bool { return c.Foreign })
	if len(list) == 0 {
		return "nothing to restore"
	}
	words := []string{"restored the site factors of " + text.Plural(len(list)-ended-foreign, "job")}
	if ended > 0 {
		words = append(words, fmt.Sprintf("%s had started or ended", text.Plural(ended, "job")))
	}
	if foreign > 0 {
		words = append(words, fmt.Sprintf("left %s alone, whose factors another party has changed since",
			text.Plural(foreign, "job")))
	}
	return strings.Join(words, "; ")
}

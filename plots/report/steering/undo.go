package steering

import (
	"strings"

	"revopt/internal/text"
	"revopt/simulate/slurm/steer"
)

// Undone says what became of the factors that were to be restored.
func Undone(list []steer.Change) string {
	if len(list) == 0 {
		return "nothing to restore"
	}
	count := func(is func(c steer.Change) bool) int { return text.Count(list, is) }
	unseen := count(func(c steer.Change) bool { return c.Unseen })
	gone := count(func(c steer.Change) bool { return c.Gone })
	foreign := count(func(c steer.Change) bool { return c.Foreign })
	spent := count(func(c steer.Change) bool { return c.Spent })
	words := []string{"restored the site factors of " + text.Plural(len(list)-gone-foreign-spent, "job")}
	if unseen > 0 {
		words = append(words, text.Plural(unseen, "job")+" of them run, are held or were not listed, so that Slurm does not show it")
	}
	if spent > 0 {
		words = append(words, text.Plural(spent, "job")+" ended with a factor, which Slurm forgets soon: "+
			"undo again if one is requeued before")
	}
	if gone > 0 {
		words = append(words, text.Plural(gone, "job")+" are gone")
	}
	if foreign > 0 {
		words = append(words, "left "+text.Plural(foreign, "job")+" alone, whose factors another party has changed since")
	}
	return strings.Join(words, "; ")
}

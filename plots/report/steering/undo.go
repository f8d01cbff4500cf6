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
	missing := count(func(c steer.Change) bool { return c.Missing })
	gone := count(func(c steer.Change) bool { return c.Gone })
	foreign := count(func(c steer.Change) bool { return c.Foreign })
	spent := count(func(c steer.Change) bool { return c.Spent })
	words := []string{"restored the site factors of " + text.Plural(len(list)-missing-gone-foreign-spent, "job")}
	if unseen > 0 {
		words = append(words, text.Fixed(float64(unseen), 0)+" of them running or held, where Slurm does not show factors")
	}
	if missing > 0 {
		words = append(words, "not found: "+text.Plural(missing, "job")+"; undo again")
	}
	if spent > 0 {
		words = append(words, "ended with a factor, which Slurm forgets soon: "+text.Plural(spent, "job")+
			"; undo again if one is requeued before")
	}
	if gone > 0 {
		words = append(words, "no longer there: "+text.Plural(gone, "job"))
	}
	if foreign > 0 {
		words = append(words, "left alone, as another party has changed their factors: "+text.Plural(foreign, "job"))
	}
	return strings.Join(words, "; ")
}

package steering

import (
	"strconv"
	"strings"

	"revopt/internal/text"
	"revopt/simulate/slurm/steer"
)

// outcome is what an undo did with some jobs, and the next step, "" if there is none.
type outcome struct {
	words, next string
	is          func(c steer.Change) bool
}

var outcomes = []outcome{
	{"restored the site factors of %", "",
		func(c steer.Change) bool { return c.Sent && !c.Unseen && !c.Foreign }},
	{"sent the former factors to %, where Slurm does not show factors", "undo again once they wait",
		func(c steer.Change) bool { return c.Sent && c.Unseen }},
	{"restored the tasks of % that have our factors, and left those that another party has changed", "",
		func(c steer.Change) bool { return c.Sent && c.Foreign }},
	{"left alone, as another party has changed their factors: %", "set these by hand if they should change",
		func(c steer.Change) bool { return !c.Sent && c.Foreign }},
	{"have their former factors already: %", "",
		func(c steer.Change) bool {
			return !c.Sent && !c.Foreign && !c.Missing && !c.Spent && !c.Gone && !c.Late
		}},
	{"an update of them has no answer yet: %", "undo again in a minute",
		func(c steer.Change) bool { return c.Late }},
	{"not found: %", "undo again",
		func(c steer.Change) bool { return c.Missing }},
	{"ended with a factor, which Slurm forgets soon: %", "undo again if one is requeued before",
		func(c steer.Change) bool { return c.Spent }},
	{"no longer there: %", "",
		func(c steer.Change) bool { return c.Gone }},
}

// mostNamed is the number of jobs that are named.
const mostNamed = 3

// Undone says what became of the factors that were to be restored.
func Undone(list []steer.Change) string {
	var words []string
	for _, o := range outcomes {
		var jobs []string
		n := 0
		for _, c := range list {
			if !o.is(c) {
				continue
			}
			n++
			if n <= mostNamed {
				jobs = append(jobs, strconv.FormatInt(c.Job, 10))
			}
		}
		if n == 0 {
			continue
		}
		if n > mostNamed {
			jobs = append(jobs, "...")
		}
		sentence := strings.Replace(o.words, "%", text.Plural(n, "job")+" ("+strings.Join(jobs, ", ")+")", 1)
		if o.next != "" {
			sentence += ": " + o.next
		}
		words = append(words, sentence)
	}
	if len(words) == 0 {
		return "nothing to restore"
	}
	return strings.Join(words, "; ")
}

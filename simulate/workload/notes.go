package workload

import (
	"strings"

	"revopt/internal/text"
)

// Notes says for every kind of fault how many jobs have it and what happens, as headers of files have it.
func (c *Cleaning) Notes() []string {
	var list []string
	singular := strings.NewReplacer("are ", "is ", "have no", "has no", "take ", "takes ", "run for", "runs for",
		"it is their", "it is its", "their ", "its ")
	add := func(jobs int64, words string) {
		if jobs == 1 {
			words = singular.Replace(words)
		}
		if jobs > 0 {
			list = append(list, text.Fixed(float64(jobs), 0)+" "+words)
		}
	}
	unkept := func(kept string) string {
		switch c.Rule {
		case Keep:
			return kept
		case Reject:
			return "are rejected at once"
		}
		return "are left out"
	}
	add(c.NoSubmit, "have no submit time and "+unkept("take that of the job before"))
	add(c.NoRunTime, "never ran and "+unkept("run for 1 s"))
	add(c.NoProcessors, "have no number of processors and "+unkept("take 1"))
	add(c.Allocated, "take the processors allocated, as the request is unknown")
	add(c.NoEstimate, "have no estimate: it is their run time")
	add(c.Overrun, "ran longer than their estimate")
	add(c.Wide, "are wider than the machine and are rejected")
	if list == nil {
		return []string{"nothing to do"}
	}
	return list
}

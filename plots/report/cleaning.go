package report

import (
	"strings"

	"revopt/internal/text"
	"revopt/simulate/study"
)

// Cleaning returns the rule by which a trace was cleaned and its consequences, on
// one line.
func Cleaning(c *study.CleaningResult) string {
	return c.Rule + ": " + strings.Join(CleaningLines(c), ", ")
}

// CleaningLines says of every kind of fault how many jobs have it and what
// happens to them; zeros are left out.
func CleaningLines(c *study.CleaningResult) []string {
	byRule := func(keep string) string {
		return map[string]string{"keep": keep, "reject": "are rejected at once", "drop": "are left out"}[c.Rule]
	}
	var list []string
	for _, l := range []struct {
		n    int64
		text string
	}{
		{c.NoSubmit, "have no submit time and " + byRule("take that of the job before")},
		{c.NoRunTime, "never ran and " + byRule("run for 1 s")},
		{c.NoProcessors, "have no number of processors and " + byRule("take 1")},
		{c.Allocated, "take the processors allocated, as the request is unknown"},
		{c.NoEstimate, "have no estimate: it is their run time"},
		{c.Overrun, "ran longer than their estimate"},
		{c.Wide, "are wider than the machine and are rejected"},
	} {
		if l.n > 0 {
			list = append(list, text.Fixed(float64(l.n), 0)+" "+l.text)
		}
	}
	if list == nil {
		return []string{"nothing to do"}
	}
	return list
}

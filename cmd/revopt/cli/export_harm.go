package cli

import (
	"fmt"
	"math"

	"revopt/internal/text"
	lab "revopt/simulate/run"
)

// groupWords names a group of jobs, as in jobs of 289 to 1,152 cores.
func groupWords(g lab.JobGroup) string {
	if g.Kind == lab.ByCustomer {
		return "jobs of " + text.OneLine(g.Name)
	}
	words := "jobs of " + widthWords(g)
	if g.Name != "" {
		words += " in pool " + text.OneLine(g.Name)
	}
	return words
}

// widthWords says which widths a group has.
func widthWords(g lab.JobGroup) string {
	unit := text.Unit(g.Unit)
	if g.From == g.To {
		return text.Plural(g.To, unit)
	}
	return fmt.Sprintf("%s to %s", text.Fixed(float64(g.From), 0), text.Plural(g.To, unit))
}

// harmWords says how a change harms a group, without a period, as in jobs of 289 to 1,152 cores wait 222 h on average
// (31 h now), the longest 60 days (5 days).
func harmWords(a lab.Affected) string {
	const longMean, longWait = 1000 * 3600, 48 * 3600 // s, above which times are in days
	mean, meanNow := waitPair(a.MeanWait, longMean)
	longest, longestNow := waitPair(a.WaitMax, longWait)
	left := text.Percent(float64(a.NotRun.After))
	now := text.Percent(float64(a.NotRun.Before))
	waits := fmt.Sprintf("%s wait %s on average (%s now), the longest %s (%s)", groupWords(a.JobGroup), mean, meanNow,
		longest, longestNow)
	switch {
	case !a.ByNotRun():
		return waits
	case a.ByMean() || a.ByLongest():
		return fmt.Sprintf("%s; %s of them never start (%s now)", waits, left, now)
	}
	return fmt.Sprintf("%s of the %s never start (%s now)", left, groupWords(a.JobGroup), now)
}

// harmLine is harmWords of the worst harm, and how many groups more are harmed; "" without harm.
func harmLine(harm []lab.Affected) string {
	if len(harm) == 0 {
		return ""
	}
	words := harmWords(harm[0])
	if more := len(harm) - 1; more > 0 {
		words += fmt.Sprintf("; harms %s more", text.Plural(more, "group"))
	}
	return words
}

// waitPair returns a wait after and before a change in one unit, from a length on in days.
func waitPair(c lab.Change, days float64) (after, before string) {
	size, unit := 60.0, "min"
	switch most := math.Max(float64(c.After), float64(c.Before)); {
	case most >= days:
		size, unit = 86400, "days"
	case most >= 2*3600:
		size, unit = 3600, "h"
	}
	return inUnit(float64(c.After), size, unit), inUnit(float64(c.Before), size, unit)
}

// inUnit formats seconds in a unit, whole from ten units on.
func inUnit(seconds, size float64, unit string) string {
	x, decimals := seconds/size, 0
	switch {
	case math.IsNaN(x):
		return "none started"
	case x < 10 && x > 0:
		decimals = 1
	}
	return text.Fixed(x, decimals) + " " + unit
}

// affectedTable has a row for every customer and every group of width: waits before and after a change, and the share
// of jobs that never start. Groups that are harmed have a mark.
func affectedTable(list []lab.Affected) *text.Table {
	t := text.NewTable("who", "jobs", "mean wait now", "then", "99 % now", "then", "longest now", "then",
		"never start now", "then", "harmed")
	t.Whole = true
	for _, a := range list {
		row := []string{groupName(a.JobGroup), text.Fixed(float64(a.Jobs), 0)}
		for _, c := range []lab.Change{a.MeanWait, a.Wait99, a.WaitMax} {
			row = append(row, text.Duration(float64(c.Before)), text.Duration(float64(c.After)))
		}
		row = append(row, text.Percent(float64(a.NotRun.Before)), text.Percent(float64(a.NotRun.After)))
		mark := ""
		if a.Harmed() {
			mark = "yes"
		}
		t.Row(append(row, mark)...)
	}
	return t
}

// groupName names a group in a table.
func groupName(g lab.JobGroup) string {
	if g.Kind == lab.ByCustomer {
		return text.OneLine(g.Name)
	}
	words := widthWords(g)
	if g.Name != "" {
		words += ", " + text.OneLine(g.Name)
	}
	return words
}

// harmRule says when a group counts as harmed.
func harmRule() string {
	return "harmed: the mean wait at least doubles and grows by an hour or more, or the longest wait at least " +
		"doubles and grows by a day or more, or " + text.PlainPercent(lab.LeastNotRun) +
		" more of the jobs never start"
}

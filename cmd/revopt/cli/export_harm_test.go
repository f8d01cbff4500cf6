package cli

import (
	"testing"

	"revopt/simulate/served"
)

// TestHarmWords: the words name the group, both waits in one unit, and the jobs that never start if they are the harm.
func TestHarmWords(t *testing.T) {
	const hour, day = 3600, 86400
	wide := served.Group{Kind: served.Width, From: 289, To: 1152, Unit: "core"}
	for want, a := range map[string]served.Affected{
		"jobs of 289 to 1,152 cores wait 222 h on average (31 h now), the longest 60 days (5.0 days)": {
			Group: wide, MeanWait: served.Change{Before: 31 * hour, After: 222 * hour},
			WaitMax: served.Change{Before: 5 * day, After: 60 * day}},
		"30.0 % of the jobs of 1 GPU in pool big never start (0.0 % now)": {
			Group:  served.Group{Kind: served.Width, Name: "big", From: 1, To: 1, Unit: "GPU"},
			NotRun: served.Change{After: 0.3}},
		"jobs of no customer wait 90 min on average (30 min now), the longest 36 h (1.0 h); 4.0 % of them never start " +
			"(2.0 % now)": {
			Group: served.Group{Kind: served.Customer, Name: "no customer"}, NotRun: served.Change{Before: 0.02, After: 0.04},
			MeanWait: served.Change{Before: 1800, After: 5400}, WaitMax: served.Change{Before: hour, After: 36 * hour}},
	} {
		if got := harmWords(a); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	harm := []served.Affected{{Group: wide, NotRun: served.Change{After: 1}}, {}, {}}
	if got := harmLine(harm); got != "100.0 % of the jobs of 289 to 1,152 cores never start (0.0 % now); harms 2 groups more" {
		t.Error(got)
	}
}

package subject_test

import (
	"context"
	"strings"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/subject"
)

// Equal policies have one label, however they are typed, and a scenario refuses two of
// them.
func TestLabels(t *testing.T) {
	for _, c := range []struct{ label, same string }{
		{"value-bf:preempt=suspend", "value-bf:preempt=suspend:future=0.980"},
		{"value-bf:preempt=suspend:future=0.5", "value-bf:future=.50:preempt=suspend"},
		{"easy", "easy:charge=auto"}, {"fcfs", "fcfs:backfill=false"},
	} {
		for _, typed := range []string{c.label, c.same} {
			if p, err := subject.ParsePolicy(nil, strings.Split(typed, ":")); err != nil || p.Label() != c.label {
				t.Errorf("%s: label %s, want %s (%v)", typed, p.Label(), c.label, err)
			}
		}
	}
	// A value may have colons, in a scenario too.
	const timed = "slurm:PriorityMaxAge=1-12:00:00:bf_window=2880"
	doc := fixture.Parsed(t, "trace: {file: sp2-like, jobs: last:60}\npolicies: [\""+timed+"\"]\n")
	typed, err := subject.ParsePolicy(nil, strings.Split(timed, ":"))
	opened, bad := subject.Open(context.Background(), doc, 1, nil)
	if err != nil || bad != nil || opened.Scenario.Policies[0].Options["PriorityMaxAge"] != "1-12:00:00" ||
		typed.Settings["bf_window"] != "2880" {
		t.Errorf("%s: %v, %v", timed, err, bad)
	}
	twice := fixture.Parsed(t, "trace: {file: sp2-like, jobs: last:60}\npolicies: [value-bf, {value-bf: {future: 0.980}}]\n")
	if _, err := subject.Open(context.Background(), twice, 1, nil); err == nil || !strings.Contains(err.Error(), `got "value-bf" twice`) {
		t.Errorf("two equal policies: %v", err)
	}
}

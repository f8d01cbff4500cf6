package whatif

import (
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/experiment"
	"revopt/simulate/subject"
)

// logged is two jobs of 1 h on all units, of which the second waits 2 h in the log and never
// under a policy that is simulated.
func logged(t *testing.T) *subject.Subject {
	return fixture.Logged(t, "", []string{
		fixture.LoggedJob(0, 0, 3600, 8, 8, 1, 2), fixture.LoggedJob(4000, 7200, 3600, 8, 8, 1, 2),
	})
}

// TestWhatIfRecorded: the schedule of the log stands beside a policy that is simulated, with its
// waits; a base that repeats the log is not compared with itself.
func TestWhatIfRecorded(t *testing.T) {
	s := logged(t)
	easy := fixture.Named(t, "easy")[0]
	r := what(t, &WhatIf{Subject: s, Seed: 1, Policy: &easy}, "growth=+0%")
	if r.Recorded == nil || r.Recorded.MeanWait.Before.Mean != 0 || r.Recorded.MeanWait.After.Mean != 3600 {
		t.Errorf("beside easy: %+v", r.Recorded)
	}
	log, err := subject.NewPolicy(s.Specs, subject.Recorded, nil)
	if err != nil {
		t.Fatal(err)
	}
	r = what(t, &WhatIf{Subject: s, Seed: 1, Policy: &log, Changes: []Change{{Name: "policy=easy", Policy: &easy}}})
	if r.Recorded != nil || r.Changes[0].MeanWait.Before.Mean != 3600 || r.Changes[0].MeanWait.After.Mean != 0 {
		t.Errorf("beside itself: %+v, waits %v", r.Recorded, r.Changes[0].MeanWait)
	}
}

// TestWhatIfInSample: only an admission that was searched on the very jobs of a log is in sample.
func TestWhatIfInSample(t *testing.T) {
	changes := []Change{{Name: "all"}, {
		Name: "admission=simulated", Choice: "admission",
		Admission: &experiment.Admission{Name: scenario.AdmitSimulated},
	}}
	generated := fixture.Builtin(t, "site", scenario.Override{Path: "trace.jobs", Value: "last:5"})
	for i, s := range []*subject.Subject{logged(t), generated} {
		r := what(t, &WhatIf{Subject: s, Seed: 1, Replications: 2, Changes: changes})
		for k, c := range r.Changes { // the last is both together
			if want := i == 0 && k > 0; c.Admission.InSample != want {
				t.Errorf("subject %d, %s: in sample %t, want %t", i, c.Name, c.Admission.InSample, want)
			}
		}
	}
}

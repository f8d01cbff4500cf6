package tune

import (
	"context"
	"testing"

	"revopt/internal/fixture"
	"revopt/simulate/plan"
	"revopt/simulate/policy"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
)

// Settings that are tuned for the wait or the slowdown are the known optimum, also without prices. Before, after and gain
// are those of a simulation with these settings.
func TestTuneForObjective(t *testing.T) {
	for objective, measure := range map[string]string{
		plan.ObjectiveWait: "mean_wait", plan.ObjectiveSlowdown: "mean_bounded_slowdown",
	} {
		u := tuneLate(t, 3)
		u.Objective = objective
		r, err := u.Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		if r.Settings["x"] != "50" || r.Settings["y"] != "0.2" || len(r.Settings) != 2 || r.Kept {
			t.Errorf("%s: settings %v", objective, r.Settings)
		}
		known := lateBy(policy.Settings{"x": "1", "y": "1"})
		if objective == plan.ObjectiveWait && !r.Gain.Interval().Contains(known) {
			t.Errorf("the wait is %+v less, want %g s", r.Gain, known)
		}
		tuned, err := subject.NewPolicy(u.Subject.Specs, r.Policy, r.Settings)
		if err != nil {
			t.Fatal(err)
		}
		printed, err := (&simulation.Simulation{
			Subject: u.Subject, Policies: []subject.Policy{u.Policy, tuned}, Seed: u.Seed, Replications: u.Replications,
			Plain: true,
		}).Run(context.Background())
		if err != nil {
			t.Fatal(err)
		}
		for i, got := range []float64{float64(r.Before.Mean), float64(r.After.Mean)} {
			want := float64(printed.Policies[i].Total.Get(measure).Mean)
			if got-want > 1e-9 || want-got > 1e-9 {
				t.Errorf("%s: %s is %g, simulate has %g", objective, printed.Policies[i].Label, got, want)
			}
		}
		if !fixture.Near(float64(r.Gain.Mean), float64(r.Before.Mean-r.After.Mean), 1e-9) || r.Unit != plan.ObjectiveUnit(objective) {
			t.Errorf("%s: gain %g %s of %g to %g", objective, r.Gain.Mean, r.Unit, r.Before.Mean, r.After.Mean)
		}
		for _, c := range r.Contributions {
			if low, _ := c.Gain.Interval().Bounds(); !(low > 0) {
				t.Errorf("%s: %+v", objective, c)
			}
		}
	}
}

// The mean wait of a part of the jobs does not win.
func TestTuneRunsAsManyJobs(t *testing.T) {
	specs := append(subject.Standard(), droppingSpec())
	s, err := subject.Open(context.Background(), fixture.Parsed(t, lateScenario), 1, specs)
	if err != nil {
		t.Fatal(err)
	}
	u := &Tune{Subject: s, Policy: subject.PolicyOf(droppingSpec()), Objective: plan.ObjectiveWait, Seed: 1,
		Replications: 4, Harm: true}
	r, err := u.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if !r.Kept || r.NotRun.After != 0 {
		t.Errorf("settings %v do not run %g of the jobs", r.Settings, r.NotRun.After)
	}
}

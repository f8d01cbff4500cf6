package whatif

import (
	"context"
	"math"
	"testing"

	"revopt/internal/fixture"
	"revopt/model/scenario"
	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study/simulation"
	"revopt/simulate/subject"
)

// fork is jobs on 2 nodes that objectives rank differently. Job 1 holds both nodes until 100 s. At 1 s a wide job of 20 s
// and two narrow ones of 30 s come, one before and one after it. The wide job pays, and loses by waiting.
//
// The wide job first, as sjf-bf has it: waits of 99, 119 and 119 s, and slowdowns of 119/20, 149/30 and 149/30. The
// narrow ones first, as saf-bf has it: waits of 99, 99 and 129 s, slowdowns of 129/30, 129/30 and 149/20. In order of
// submission, as fcfs has it: waits of 99, 129 and 149 s, slowdowns of 129/30, 149/20 and 179/30. Job 1 does not wait.
func fork(t *testing.T) *subject.Subject {
	trace := written(t, fixture.SWFLine(1, 0, 100, 2, 100, 1, 1)+fixture.SWFLine(2, 1, 30, 1, 30, 1, 1)+
		fixture.SWFLine(3, 1, 20, 2, 20, 1, 1)+fixture.SWFLine(4, 1, 30, 1, 30, 1, 1))
	return fixture.Opened(t, "trace: {file: "+trace+", nodes: 2}\npolicies: [fcfs]\nclasses:\n"+
		"  - {name: wide, of: {width: [2, 2]}, price: 1000, decay: 1}\n  - {name: narrow, price: 1}\n")
}

func changed(t *testing.T, s *subject.Subject, objective string, policies ...string) *Result {
	t.Helper()
	w := &WhatIf{Subject: s, Objective: objective, Seed: 1, Alone: true}
	for _, p := range fixture.Named(t, policies...) {
		w.Changes = append(w.Changes, Change{Name: "policy=" + p.Label(), Policy: &p, Choice: ChoicePolicy})
	}
	r, err := w.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// Changes are ranked by the measure that a simulation prints, which is that of the hand, whatever the objective.
func TestObjectiveRanksByMeasure(t *testing.T) {
	s := fork(t)
	policies := []string{"sjf-bf", "saf-bf"}
	for _, c := range []struct {
		objective, measure, unit string
		means                    []float64 // of fcfs, sjf-bf and saf-bf
		best                     string
	}{
		{"", "value_per_second", "$/h", nil, "sjf-bf"},
		{plan.ObjectiveWait, "mean_wait", "s", []float64{377. / 4, 337. / 4, 327. / 4}, "saf-bf"},
		{plan.ObjectiveSlowdown, "mean_bounded_slowdown", "1", []float64{
			(1 + 129./30 + 149./20 + 179./30) / 4, (1 + 119./20 + 2*149./30) / 4, (1 + 2*129./30 + 149./20) / 4,
		}, "sjf-bf"},
	} {
		r := changed(t, s, c.objective, policies...)
		if r.Best.Overall != c.best || r.Unit != c.unit || r.Objective != c.objective {
			t.Errorf("%q: best %s in %s, want %s in %s", c.objective, r.Best.Overall, r.Unit, c.best, c.unit)
		}
		list := []*ChangeResult{r.Before, &r.Changes[0], &r.Changes[1]}
		for i, name := range append([]string{"fcfs"}, policies...) {
			printed := run(t, &simulation.Simulation{Subject: s, Policies: fixture.Named(t, name), Seed: 1})
			want, got := float64(printed.Policies[0].Total.Get(c.measure).Mean), float64(list[i].Simulation.After.Mean)
			if c.objective == "" {
				want *= 3600
			}
			if !fixture.Near(got, want, 1e-12) {
				t.Errorf("%q: %s has %g, its %s is %g", c.objective, name, got, c.measure, want)
			}
			if c.means != nil && !fixture.Near(got, c.means[i], 1e-12) {
				t.Errorf("%q: %s has %g, by hand %g", c.objective, name, got, c.means[i])
			}
			gain := float64(list[i].Simulation.After.Mean - r.Before.Simulation.After.Mean)
			if c.objective != "" {
				gain = -gain
			}
			if d := float64(list[i].Gain().Mean) - gain; math.Abs(d) > 1e-9 {
				t.Errorf("%q: %s gains %g, want %g", c.objective, name, float64(list[i].Gain().Mean), gain)
			}
			if share := list[i].Share(); c.objective != "" && !(share > 0 && share <= 1) {
				t.Errorf("%q: %s is at %g of the bound", c.objective, name, share)
			}
		}
	}
}

// Money has no place beside a wait.
func TestObjectiveLeavesMoneyOut(t *testing.T) {
	w := &WhatIf{Subject: fork(t), Objective: plan.ObjectiveWait, Seed: 1, Alone: true}
	more, err := ParseChange(w.Subject, "nodes=+2")
	if err != nil {
		t.Fatal(err)
	}
	w.Changes = []Change{more}
	r, err := w.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	if c := r.Changes[0]; c.BreakEven != nil || c.Net != nil || c.Formula != nil ||
		!(c.Gain().Mean > 0) || !(c.Simulation.Difference.Mean < 0) {
		t.Errorf("more nodes: %+v", c)
	}
}

// A policy that drops jobs is not the best of those that were not compared with it.
func TestObjectiveBestIsCompared(t *testing.T) {
	w := &WhatIf{Subject: fork(t), Objective: plan.ObjectiveWait}
	r := &Result{
		Before: &ChangeResult{Policy: "a", RunsOn: "plug-in", Money: []metric.Number{1, 2}},
		Changes: []ChangeResult{
			{Policy: "b", RunsOn: "plug-in", Choice: ChoicePolicy, Unlike: true, Money: []metric.Number{3, 4}},
		},
	}
	w.setBest(r)
	if r.Best.Overall != "" || r.Best.Runnable != "" {
		t.Errorf("nothing is compared: %+v", r.Best)
	}
}

// A policy that drops jobs does not win by it: the mean wait of the jobs that it runs is not compared, unless it is more
// than that of all jobs. The same jobs without prices need none.
func TestObjectiveComparesTheSameJobs(t *testing.T) {
	s := fork(t)
	half := []Change{
		{Name: "admission=wide", Admission: admitting(1, 0), Choice: "admission"},
		{Name: "admission=all", Admission: admitting(1, 1), Choice: "admission"},
	}
	w := &WhatIf{Subject: s, Objective: plan.ObjectiveWait, Seed: 1, Alone: true, Changes: half}
	r, err := w.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	c := r.Changes[0]
	if !c.Unlike || !math.IsNaN(float64(c.Gain().Mean)) || c.NotRun.After != 0.5 || !math.IsNaN(float64(c.Bound.After)) {
		t.Errorf("half of the jobs: %+v", c)
	}
	if all := r.Changes[1]; all.Unlike || all.Gain().Mean != 0 {
		t.Errorf("all jobs: %+v", all)
	}
	lines := fixture.SWFLine(1, 0, 100, 2, 100, 1, 1) + fixture.SWFLine(2, 1, 30, 1, 30, 1, 1)
	plain := fixture.Opened(t, "trace: {file: "+written(t, lines)+", nodes: 2}\npolicies: [easy]\n")
	free := changed(t, plain, plan.ObjectiveWait, "saf-bf")
	if !fixture.Near(float64(free.Before.Simulation.After.Mean), 99./2, 1e-12) {
		t.Errorf("jobs without prices wait %g", float64(free.Before.Simulation.After.Mean))
	}
}

// The means are those that a plan with bounds delivers, also of policies that interrupt jobs.
func TestObjectiveOfInterruptedJobs(t *testing.T) {
	s := site(t, scenario.Override{Path: "trace.jobs", Value: "last:40"}, scenario.Set("simulation.replications", 2))
	for _, objective := range []string{plan.ObjectiveWait, plan.ObjectiveSlowdown} {
		names := []string{"las", "server-filling-srpt"}
		r := changed(t, s, objective, names...)
		rows := plan.NewRows(fixture.Named(t, names...), everything())
		got := sampled(t, s, func(p *plan.Plan) {
			p.Bounds, p.Replications = &plan.Bounds{Objective: objective}, 2
		}, rows...).Bounded(0, 2)
		for i := range names {
			for k, want := range got.Rows[i].Delivered {
				if x := float64(r.Changes[i].Money[k]); !fixture.Near(x, want, 1e-9) {
					t.Errorf("%s of %s in replication %d: %g, with bounds %g", objective, names[i], k, x, want)
				}
			}
		}
	}
}

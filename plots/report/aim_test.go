package report

import (
	"bytes"
	"strings"
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/plan"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
)

// The words for waits and slowdowns have a sign that readers expect: less is better.
func TestAim(t *testing.T) {
	for got, want := range map[string]string{
		aim(plan.ObjectiveWait).change(-720):    "waits 12.0 min less",
		aim(plan.ObjectiveWait).change(9000):    "waits 2.50 h longer",
		aim(plan.ObjectiveSlowdown).change(-3):  "slowdown 3.00 lower",
		aim(plan.ObjectiveSlowdown).change(0.5): "slowdown 0.500 higher",
		aim(plan.ObjectiveWait).signed(-60):     "-60.0 s",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	mean := func(x float64) study.Estimate { return study.Estimate{Mean: metric.Number(x)} }
	before := whatif.ChangeResult{Name: "as it is", Policy: "easy", RunsOn: "slurm", Once: true, Small: true,
		Simulation: whatif.EstimatePair{Before: mean(7200), After: mean(7200)}}
	less := before
	less.Name, less.Choice, less.Policy = "nodes=+1", "trace.nodes", "easy"
	less.Simulation = whatif.EstimatePair{Before: mean(7200), After: mean(3600), Difference: mean(-3600)}
	more := less
	more.Name = "nodes=-1"
	more.Simulation = whatif.EstimatePair{Before: mean(7200), After: mean(9000), Difference: mean(1800)}
	r := &whatif.Result{Objective: plan.ObjectiveWait, Unit: "s", UnitName: "node", Once: true, Admission: "all",
		Before:  &before,
		Changes: []whatif.ChangeResult{more, less}}
	fillVerdicts(r)
	var out bytes.Buffer
	(&WhatIf{Result: r}).Table(&out)
	for _, want := range []string{"nodes=+1: waits 60.0 min less.", "nodes=-1: waits 30.0 min longer.",
		"Best first: nodes=+1, as it is, nodes=-1; they change the same field, so none are made together"} {
		if !strings.Contains(strings.Join(strings.Fields(out.String()), " "), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if strings.Contains(out.String(), "$") {
		t.Errorf("money in\n%s", &out)
	}
}

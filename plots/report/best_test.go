package report

import (
	"math"
	"slices"
	"testing"

	"revopt/simulate/metric"
	"revopt/simulate/study"
	"revopt/simulate/study/whatif"
)

// TestBestLines: the headline names both policies and says whether the difference may be chance.
func TestBestLines(t *testing.T) {
	of := map[string]rival{"a": {runsOn: "slurm", earns: "4 $/h"}, "b": {runsOn: "plugin", earns: "5 $/h"}}
	difference := func(mean, half float64) *study.Estimate {
		return &study.Estimate{Mean: metric.Number(mean), HalfWidth: metric.Number(half)}
	}
	const first = "Best on Slurm: a, 4 $/h."
	for _, c := range []struct {
		best study.Best
		want []string
	}{
		{study.Best{Runnable: "a", Overall: "a"}, []string{first, "Best of all: the same."}},
		{study.Best{Runnable: "a", Overall: "a", Partial: true},
			[]string{"Best on Slurm of those tried: a, 4 $/h.", "Best of all: the same."}},
		{study.Best{Overall: "b"}, []string{"Best on Slurm: none of these.", "Best of all: b (plug-in), 5 $/h."}},
		{study.Best{Runnable: "a", Overall: "b", Difference: difference(730, 100), Unit: "$/month"},
			[]string{first, "Best of all: b (plug-in), 5 $/h: 730 ± 100 $/month more."}},
		{study.Best{Runnable: "a", Overall: "b", Difference: difference(730, 800), Unit: "$/month"},
			[]string{first, "Best of all: b (plug-in), 5 $/h: 730 ± 800 $/month more, perhaps by chance."}},
		{study.Best{Runnable: "a", Overall: "b", Difference: difference(1234.5, math.Inf(1)), Unit: "$"},
			[]string{first, "Best of all: b (plug-in), 5 $/h: 1,230 $ more."}},
		{study.Best{Runnable: "a", Overall: "b", Difference: difference(0, 0)},
			[]string{first, "Best of all: b (plug-in), 5 $/h, which is no more."}},
	} {
		if got := bestLines(c.best, of, harmOf); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestShownRunnable: of many policies a table of changes has the best, and the best that Slurm runs.
func TestShownRunnable(t *testing.T) {
	change := func(name, runsOn string, gain float64) whatif.ChangeResult {
		c := whatif.ChangeResult{Name: "policy=" + name, Choice: whatif.ChoicePolicy, Policy: name, RunsOn: runsOn}
		c.Simulation.Difference.Mean = metric.Number(gain)
		return c
	}
	r := &WhatIf{Result: &whatif.Result{
		Before: &whatif.ChangeResult{Policy: "easy", RunsOn: "slurm"}, Best: study.Best{Runnable: "c", Overall: "a"},
		Changes: []whatif.ChangeResult{change("d", "slurm", 1), change("c", "slurm", 2), change("b", "plugin", 3),
			change("a", "research", 4)},
	}}
	var got []string
	for _, c := range r.shown() {
		got = append(got, c.Policy)
	}
	if want := []string{"easy", "c", "a"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
